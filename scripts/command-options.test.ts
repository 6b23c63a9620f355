// Tests of command line parsing: accepted options, and messages for anything else.
import { expect, it } from 'vitest';
import { parseCommand, usageOf } from './command-options.ts';

const COMMAND = {
  usage: 'npm run sim -- [options]',
  what: 'Runs seeds.',
  options: {
    seeds: { type: 'string', value: 'N', default: '100', what: 'how many' },
    events: { type: 'string', value: 'yes|no', what: 'with events or without' },
    trace: { type: 'boolean', what: 'tells more' },
  },
  examples: ['npm run sim -- --seeds 7'],
} as const;

it('reads options, with their defaults', () => {
  expect({ ...parseCommand(COMMAND, ['--events', 'no', '--trace']).values }).toEqual({
    seeds: '100',
    events: 'no',
    trace: true,
  });
});

it.each([
  [['--sedes', '7'], "Unknown option '--sedes'."],
  [['--seeds'], "Option '--seeds <value>' argument missing."],
  [['--seeds', 'many'], "Option '--seeds' takes a number, not 'many'."],
  [['--events', 'maybe'], "Option '--events' takes yes or no, not 'maybe'."],
  [['7'], "Unexpected argument '7'."],
])('refuses what it does not take in one sentence: %j', (given, sentence) => {
  expect(() => parseCommand(COMMAND, given)).toThrow(sentence);
});

it('takes the names that it has, and no other', () => {
  const named = { ...COMMAND, allowPositionals: true, names: ['engine', 'gas'] };
  expect(parseCommand(named, ['gas']).positionals).toEqual(['gas']);
  expect(() => parseCommand(named, ['gass'])).toThrow("There is no 'gass'.");
});

it('explains every option, and shows an example', () => {
  expect(usageOf(COMMAND)).toMatchInlineSnapshot(`
    "Usage: npm run sim -- [options]

    Runs seeds.

    Options:
      --seeds N             how many (100)
      --events yes|no       with events or without
      --trace               tells more
      --help                shows this

    Examples:
      npm run sim -- --seeds 7"
  `);
});
