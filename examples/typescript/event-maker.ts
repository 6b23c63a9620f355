// A market maker for a whole event: its chances always add up to one, so that nobody gains by buying or selling all outcomes to it.
//
//     npx tsx examples/typescript/event-maker.ts [url] [event id] [rounds]
//
// The key comes from PRESAGE_BOT_KEY. Without an event it takes the first open one; without a number of rounds it never ends.
import {
  createSandboxClient,
  createTradingClient,
  type MarketEvent,
  type OrderParams,
  PresageApiError,
  type Watch,
  type WatchUserEvent,
} from '@presage/sdk';
import { privateKeyToAccount } from 'viem/accounts';
import { outlast, say } from './making/outlast.ts';

const [url = 'http://127.0.0.1:8080', eventId, rounds = '0'] = process.argv.slice(2);
// viem refuses an invalid key.
const key = (process.env.PRESAGE_BOT_KEY ?? `0x${'a8'.repeat(32)}`) as `0x${string}`;
const client = createTradingClient({ url, account: privateKeyToAccount(key) });

const [CENT, ONE] = [10_000, 1_000_000];
const SIZE = '10';
const FUNDS = '10000';
/** Distance from the chance to the quote on either side. */
const HALF_SPREAD = 1.5 * CENT;
/** Shares that move a chance noticeably: the parameter b of Hanson's market scoring rule, which bounds the maker's loss. */
const DEPTH = 100 * ONE;
/** Most orders in one request; see `limits` of /config. */
const ORDERS_AT_ONCE = 50;
/** Refusals to ignore: another trader bids above the chance or asks below it, or the event has ended meanwhile. */
const PASSED_OVER: ReadonlySet<string> = new Set(['would_cross', 'market_closed']);

type Holding = { readonly yes: number; readonly no: number };

async function holdings({ chainId, outcomes }: MarketEvent): Promise<Holding[]> {
  const { positions } = await client.listPositions(client.address, { chain_id: chainId });
  const held = new Map(positions.map((position) => [position.marketId, position]));
  return outcomes.map(({ marketId }) => {
    const { yesShares = 0, noShares = 0 } = held.get(marketId) ?? {};
    return { yes: Number(yesShares), no: Number(noShares) };
  });
}

/** Chances from the maker's inventory: an outcome that it has sold costs more and all others cost less, so the sum stays one. */
function toChances(held: readonly Holding[]): number[] {
  const weights = held.map(({ yes, no }) => Math.exp((no - yes) / DEPTH));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
}

/** Quotes in whole cents, rounded away from the chance; leaves out prices below 1 or above 99 cents. */
function toQuotes(marketId: string, chance: number): OrderParams[] {
  const bid = Math.floor((chance * ONE - HALF_SPREAD) / CENT) * CENT;
  const ask = Math.ceil((chance * ONE + HALF_SPREAD) / CENT) * CENT;
  const common = { marketId, size: SIZE, postOnly: true, expiresIn: 3_600 } as const;
  return [
    ...(bid >= CENT ? [{ ...common, side: 'buy', price: BigInt(bid) } as const] : []),
    ...(ask <= ONE - CENT ? [{ ...common, side: 'sell', price: BigInt(ask) } as const] : []),
  ];
}

/** Converts NO shares: NO of two outcomes is worth a dollar plus YES of all the others, so converting frees money for quotes. */
async function convert(event: MarketEvent, held: readonly Holding[]): Promise<void> {
  const indexes = event.outcomes.filter((_, at) => (held[at]?.no ?? 0) > 0).map(({ index }) => index);
  const amounts = held.flatMap(({ no }) => (no > 0 ? [no] : []));
  if (indexes.length < 2) return;
  const amount = BigInt(Math.min(...amounts));
  await (await client.convertPositions(event.id, { indexes, amount })).wait();
  say('converted', { indexes, freed: Number(amount) * (indexes.length - 1) });
}

async function quote(event: MarketEvent): Promise<void> {
  const chances = toChances(await holdings(event));
  const orders = event.outcomes.flatMap(({ marketId }, at) => toQuotes(marketId, chances[at] ?? 0));
  await cancelQuotes(event);
  for (let from = 0; from < orders.length; from += ORDERS_AT_ONCE) {
    const results = await client.placeOrders(orders.slice(from, from + ORDERS_AT_ONCE));
    for (const result of results) if (result instanceof PresageApiError && !PASSED_OVER.has(result.code)) throw result;
  }
  const sumOf = (side: string) =>
    orders.reduce((sum, { side: of, price }) => sum + (of === side ? Number(price) : 0), 0);
  say('quoted', {
    bids: sumOf('buy'),
    asks: sumOf('sell'),
    chances: chances.map((chance) => Number(chance.toFixed(4))),
  });
}

async function findEvent(): Promise<MarketEvent> {
  if (eventId) return client.getEvent(eventId);
  const [first] = (await client.listEvents({ status: 'open' })).events;
  if (first === undefined) throw new Error('there is no open event');
  return first;
}

/** Resolves after the next settled fill: before that the holdings do not change. */
async function nextFill(changes: Watch<WatchUserEvent>): Promise<void> {
  for (;;) {
    const { done, value } = await changes.next();
    if (done || value.type === 'gap') return;
    if (value.type === 'trade_status' && value.data.status === 'confirmed') return;
  }
}

async function cancelQuotes({ outcomes }: MarketEvent): Promise<void> {
  for (const { marketId } of outcomes) await client.cancelAll({ marketId });
}

/** Quotes once; returns false if the event is over. Safe to repeat after a lost answer: it cancels earlier quotes first. */
async function makeRound({ id }: MarketEvent): Promise<boolean> {
  const event = await client.getEvent(id);
  if (event.status !== 'open') return false;
  await convert(event, await holdings(event));
  await quote(event);
  return true;
}

/** Reports a lost stream, which reconnects by itself. */
function sayWhenLost() {
  let isLost = false;
  return {
    onLost: () => {
      if (!isLost) say('waiting', { error: 'the stream is cut' });
      isLost = true;
    },
    onMessage: () => {
      if (isLost) say('reached', {});
      isLost = false;
    },
  };
}

async function run(): Promise<void> {
  const event = await outlast(findEvent);
  const { sandbox } = await outlast(() => client.getConfig());
  const { chainId } = event;
  if (sandbox) await outlast(() => createSandboxClient({ url }).fund(client.address, FUNDS, { chainId }));
  await outlast(() => client.setup({ chainId }));
  say('started', { wallet: client.address, market: event.id });
  const changes = client.watchUser(client.address, sayWhenLost());
  await changes.ready;
  let done = 0;
  while (await outlast(() => makeRound(event))) {
    if (++done === Number(rounds)) break;
    await nextFill(changes);
  }
  await outlast(() => cancelQuotes(event));
  say('done', { rounds: done });
  await changes.return?.();
}

void run();
