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
  ['a write', 'POST', {}, 200, 'control=12;m0=345'],
  ['a write that failed', 'POST', {}, 503, undefined],
  ['a read', 'GET', {}, 200, undefined],
  ['a read about a write', 'GET', { tellsPosition: true }, 200, 'control=12;m0=345'],
])('tells the position with the answer to %s as it should', (_what, method, route, status, position) => {
  expect(toldOn(method, route, status)).toBe(position);
});
