// Lines of CSV files: what a spreadsheet must not run or misread is neutralised, everything else stays as it is.
import { describe, expect, it } from 'vitest';
import { toCsvLine } from '../src/index.ts';

describe('a line of CSV', () => {
  it.each([
    ['=HYPERLINK("http://a")', `"'=HYPERLINK(""http://a"")"`],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['  =1', "'  =1"],
    ['\t=1', "'\u{fffd}=1"],
    ['\u{200b}=1', "'\u{fffd}=1"],
  ])('puts an apostrophe before text that begins like a formula: %j', (text, written) => {
    expect(toCsvLine([text])).toBe(`${written}\r\n`);
  });

  it.each([
    ['a\r\nb', 'a\u{fffd}\u{fffd}b'],
    ['\u{1b}[31mred', '\u{fffd}[31mred'],
    ['\u{202e}abc', '\u{fffd}abc'],
    ['a\0b', 'a\u{fffd}b'],
  ])('replaces control characters: %j', (text, written) => {
    expect(toCsvLine([text])).toBe(`${written}\r\n`);
  });

  it('leaves numbers below 0 as they are', () => {
    expect(toCsvLine([-1, -2n, 3.5])).toBe('-1,-2,3.5\r\n');
  });

  it('quotes commas and quotes, and leaves null empty', () => {
    expect(toCsvLine(['a,b', 'say "yes"', null, '', true])).toBe('"a,b","say ""yes""",,,true\r\n');
  });
});
