// Files of markets: what a line becomes, its key, and mistakes that name their line.
import { describe, expect, it } from 'vitest';
import { parseCsv } from '../src/bulk/csv.ts';
import { readMarketLines } from '../src/bulk/market-lines.ts';

const NOW = 1_800_000_000;
const read = (text: string, name = 'markets.csv', template?: string) => readMarketLines(text, name, NOW, template);

describe('comma-separated values', () => {
  it('keep quotes, commas and line breaks within quotes, and know their lines', () => {
    const text = '\uFEFFa,b\r\n"x, ""y""",z\n\n"two\nlines",\nlast,line';
    expect(parseCsv(text)).toEqual([
      { line: 1, fields: ['a', 'b'] },
      { line: 2, fields: ['x, "y"', 'z'] },
      { line: 4, fields: ['two\nlines', ''] },
      { line: 6, fields: ['last', 'line'] },
    ]);
  });

  it('refuse a quote in the middle of a field', () => {
    expect(() => parseCsv('a\nb"c"')).toThrow('line 2: a quote is misplaced');
  });
});

describe('a file of markets', () => {
  it('gives each line its terms, its template values and a key of its content', () => {
    const text = 'question,expires,feeRateBps,key\nWill A win?,30d,100,\nWill B win?,2027-01-31T18:00:00Z,,b-wins\n';
    const [first, second] = read(text);
    expect(first).toMatchObject({
      line: 2,
      params: { question: 'Will A win?', expiration: NOW + 2_592_000, feeRateBps: 100 },
    });
    expect(first?.params.key).toMatch(/^bulk:[0-9a-f]{40}$/);
    expect(second).toMatchObject({ line: 3, params: { key: 'b-wins', expiration: 1_801_418_400 } });
    expect(second?.params).not.toHaveProperty('feeRateBps');
    // Later, when durations come to another time, the line still has the same key.
    expect(readMarketLines(text, 'm.csv', NOW + 999)[0]?.params.key).toBe(first?.params.key);
    const json = '[{"home":"Ajax","away":"PSV","listAt":"1h"}]';
    expect(read(json, 'markets.json', 'match')).toMatchObject([
      { line: 1, params: { template: 'match', values: { home: 'Ajax', away: 'PSV' }, listAt: NOW + 3_600 } },
    ]);
  });

  it('takes null in JSON for what is not given', () => {
    const json = (entry: object) => read(JSON.stringify([entry]), 'markets.json');
    const given = { question: 'Will A win?', expires: '30d' };
    expect(json({ ...given, description: null, imageUrl: null, team: null })).toEqual(json(given));
  });

  it.each([
    ['question,expires\nA?,soon\n', 'line 2: "soon" is not a duration'],
    ['question,expires\nA?\n', 'line 2 has 1 fields'],
    ['question,team\nA?,x\n', 'line 2: unknown column team'],
    ['question,expires\nA?,1d\nA?,1d\n', 'line 3 is the same as line 2'],
    ['question,feeRateBps\nA?,2%\n', 'line 2: feeRateBps: "2%" is not a number'],
    ['question,expires\nA?,2027-02-30\n', 'line 2: expires: "2027-02-30" is not a time'],
    ['question\n', 'the file has no market'],
    [`question\n${'A?\n'.repeat(1_001)}`, 'the file has 1001 markets'],
  ])('refuses %j', (text, message) => {
    expect(() => read(text)).toThrow(message);
  });

  it('refuses JSON that is no list of objects', () => {
    expect(() => read('{}', 'm.json')).toThrow('the file is not a list');
    expect(() => read('[1]', 'm.json')).toThrow('entry 1 is not an object');
    expect(() => read('[', 'm.json')).toThrow('the file is not JSON');
  });
});
