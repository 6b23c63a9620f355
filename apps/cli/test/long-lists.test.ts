// Markets and events that the first page of a list does not show are found by their words and by the beginning of their id.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXIT_CODES } from '../src/exit-codes.ts';
import { runCommand } from '../src/run-command.ts';

const OLD = { id: `0x${'01'.repeat(32)}`, kind: 'standard', status: 'expired', question: 'Did it rain in Lisbon?' };
const QUICK = { id: `0x${'02'.repeat(32)}`, kind: 'quick', status: 'resolved', question: 'BTC up at noon?' };
const OTHER = { id: `0x${'03'.repeat(32)}`, kind: 'standard', status: 'open', question: 'Does it snow in Oslo?' };
const OUTCOME = {
  ...market('06', 'Who wins the league?: Ajax'),
  event: { id: `0x${'05'.repeat(32)}`, index: 0, name: 'Ajax' },
};
const [NEW_EVENT, OLD_EVENT] = [eventOf('04', 'Who wins the cup?'), eventOf('05', 'Who wins the league?')];

function market(byte: string, question: string) {
  const prices = { bestBidPrice: 0, bestAskPrice: 0, volume: 0, expiration: 1 };
  return { id: `0x${byte.repeat(32)}`, kind: 'standard', status: 'resolved', question, ...prices };
}

function eventOf(byte: string, question: string) {
  return { id: `0x${byte.repeat(32)}`, status: 'open', question, outcomes: [], totalVolume: 0, expiration: 1 };
}

/** The newest closed market is a quick one; pages have one row each. */
const ANSWERS: Readonly<Record<string, object>> = {
  '/api/v1/config': { sandbox: true, chains: [{ chainId: 1 }], quickMarkets: { assets: ['BTC'] } },
  '/api/v1/markets': { markets: [OTHER, QUICK], count: 2, nextCursor: null },
  '/api/v1/markets?kind=standard&limit=500': { markets: [OTHER], count: 1, nextCursor: 'a' },
  '/api/v1/markets?kind=standard&limit=500&cursor=a': { markets: [OLD, OUTCOME], count: 2, nextCursor: null },
  '/api/v1/events': { events: [NEW_EVENT], count: 1, next: 'b' },
  '/api/v1/events?limit=100': { events: [NEW_EVENT], count: 1, next: 'b' },
  '/api/v1/events?limit=100&cursor=b': { events: [OLD_EVENT], count: 1, next: null },
  '/api/v1/events?status=open': { events: [NEW_EVENT], count: 1, next: 'b' },
  '/api/v1/events?status=open&limit=100': { events: [NEW_EVENT], count: 1, next: 'b' },
  '/api/v1/events?status=open&limit=100&cursor=b': { events: [OLD_EVENT], count: 1, next: null },
  [`/api/v1/resolution/${OLD.id}`]: { marketId: OLD.id, status: 'expired' },
  [`/api/v1/resolution/${QUICK.id}`]: { marketId: QUICK.id, status: 'resolved' },
};

const ENDLESS = { events: [NEW_EVENT], count: 1, next: 'again' };

let server: Server;
let asked = 0;

beforeAll(async () => {
  server = createServer(({ url = '' }, response) => {
    asked++;
    const answer = url.includes('search=endless') ? ENDLESS : ANSWERS[url];
    response.statusCode = answer === undefined ? 404 : 200;
    response.end(JSON.stringify(answer ?? { error: url, code: 'not_found' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function presage(...args: string[]) {
  const said: string[] = [];
  const sink = { write: (text: string) => void said.push(text) };
  const env = { PRESAGE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  const code = await runCommand(args, { env, stdout: sink, stderr: sink });
  return { code, text: said.join('') };
}

describe('what is further down a list', () => {
  it.each(['rain lisbon', '0x0101', 'BTC noon'])('is the market that %j names', async (text) => {
    const { code, text: said } = await presage('resolve', 'status', text, '--json');
    expect(said).toContain(text === 'BTC noon' ? QUICK.id : OLD.id);
    expect(code).toBe(0);
  });

  it('is no market that nobody has listed', async () => {
    const { code, text } = await presage('resolve', 'status', 'hail in Rome');
    expect([code, text]).toEqual([EXIT_CODES.usage.code, expect.stringContaining('no market fits "hail in Rome"')]);
  });

  it('is the event that words name, and is listed', async () => {
    expect((await presage('event', 'league', '--json')).text).toContain(OLD_EVENT.id);
    const { text } = await presage('events', '--json');
    expect(JSON.parse(text)).toEqual({ events: [NEW_EVENT, OLD_EVENT], count: 2, next: null });
  });

  it('is an outcome of an event that is over', async () => {
    const { text } = await presage('markets', '--event', 'league', '--all', '--json');
    expect(JSON.parse(text)).toEqual({ markets: [OUTCOME], count: 1, nextCursor: null });
  });

  it('is not read for ever where a service has no last page', async () => {
    asked = 0;
    const { code } = await presage('events', '--search', 'endless');
    expect(code).toBe(0);
    expect(asked).toBe(200);
  });
});
