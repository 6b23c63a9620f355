// Which answers say how far the journal is: those to writes, and those that say what became of one.
import { expect, it } from 'vitest';
import type { HttpReply } from '../../src/api/http/reply.ts';
import type { HttpRequest, Route } from '../../src/api/http/request.ts';
import { tellPosition } from '../../src/api/journal-positions.ts';

const journal = { positions: () => ({ control: 12, m0: 345 }), reached: async () => true };

function toldOn(method: string, route: Partial<Route>, statusCode = 200): string | undefined {
  let told: string | undefined;
  const header = (_name: string, value: string) => {
    told = value;
  };
  tellPosition({ method, route } as HttpRequest, { statusCode, header } as unknown as HttpReply, journal);
  return told;
}

it.each([
  ['a write', 'POST', {}],
  ['a read about a write', 'GET', { tellsPosition: true }],
])('tells the position in the answer to %s', (_what, method, route) => {
  expect(toldOn(method, route)).toBe('control=12;m0=345');
});

it.each([
  ['a write that failed', 'POST', 503],
  ['any other read', 'GET', 200],
])('does not tell it in the answer to %s', (_what, method, status) => {
  expect(toldOn(method, {}, status)).toBeUndefined();
});
