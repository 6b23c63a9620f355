// Events from their creation to the last unit of collateral: trades that mint, conversions, a disputed result, a void.
import { waitFor, walletOf } from '@presage/testkit';
import type { Hex } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Exchange } from './exchange.ts';
import { RelayedWallet, UNLIMITED } from './relayed-wallet.ts';
import type { EventBody, MarketBody } from './wire.ts';

const MONEY = 1_000_000_000n;
const LIFE_SECONDS = 86_400;
const WINDOW_SECONDS = 7_200;
const SIZE = 9_000_000n;
let exchange: Exchange;
let ann: RelayedWallet;
let ben: RelayedWallet;

beforeAll(async () => {
  exchange = await Exchange.open({ env: { PRESAGE_SANDBOX_AUTOFUND: 'off', PRESAGE_KEEPER: 'off' } });
  ann = await equippedWallet('ann of events');
  ben = await equippedWallet('ben of events');
});
afterAll(() => exchange?.close());

async function equippedWallet(name: string): Promise<RelayedWallet> {
  const account = walletOf(name);
  await exchange.client.post('/sandbox/fund', { address: account.address, amount: Number(MONEY) });
  const wallet = await RelayedWallet.open(exchange, account);
  await exchange.confirmed(
    await wallet.relayed('usdc-permit', await wallet.permit(wallet.chain.settlement.address, UNLIMITED)),
  );
  await exchange.confirmed(await wallet.relayed('ctf-approval', await wallet.approval()));
  return wallet;
}

async function newEvent(question: string, outcomes: readonly string[]): Promise<[EventBody, MarketBody[]]> {
  const body = { question, outcomes, expiresIn: LIFE_SECONDS, description: 'As the league says.' };
  const { status, body: event } = await exchange.client.post<EventBody>('/sandbox/events', body);
  expect({ status, event }).toMatchObject({ status: 200 });
  const markets = event.outcomes.map(({ marketId }) => exchange.client.read<MarketBody>(`/api/v1/markets/${marketId}`));
  return [event, await Promise.all(markets)];
}

/** Ben has nothing to sell: he mints, and keeps NO. */
async function trade(market: MarketBody): Promise<void> {
  const terms = { market: market.id, price: '0.3', size: '9' };
  await exchange.client.order(ben.account, { ...terms, side: 'sell' });
  await exchange.client.order(ann.account, { ...terms, side: 'buy' });
  await exchange.settled();
}

const collateral = () => exchange.chain.money(ann.chain.conditionalTokens.address);

/** What the service says of a wallet's shares is what the chain says. */
async function sharesOf(markets: readonly MarketBody[], wallet: RelayedWallet): Promise<(readonly [bigint, bigint])[]> {
  const shares: (readonly [bigint, bigint])[] = [];
  for (const market of markets) {
    const seen = await waitFor(`${market.question} is the same in both`, async () => {
      const { reported, onChain } = await exchange.sharesBothWays(market, wallet);
      return reported.yes === onChain.yes && reported.no === onChain.no && onChain;
    });
    shares.push([seen.yes, seen.no]);
  }
  return shares;
}

function statusesAre(markets: readonly MarketBody[], wanted: string): Promise<unknown> {
  return waitFor(`all markets are ${wanted}`, async () => {
    const reads = markets.map(({ id }) => exchange.client.read<MarketBody>(`/api/v1/markets/${id}`));
    return (await Promise.all(reads)).every(({ status }) => status === wanted);
  });
}

describe('an event of four outcomes', () => {
  let event: EventBody;
  let markets: MarketBody[];

  it('is created with a market for each outcome, which names it', async () => {
    [event, markets] = await newEvent('Who wins the cup?', ['Ann', 'Ben', 'Cid', 'None of them']);
    expect(event).toMatchObject({ question: 'Who wins the cup?', status: 'open', resolved: false });
    expect(event.outcomes.map(({ index, name }) => [index, name])).toEqual([
      [0, 'Ann'],
      [1, 'Ben'],
      [2, 'Cid'],
      [3, 'None of them'],
    ]);
    for (const [index, market] of markets.entries()) {
      const { name } = event.outcomes[index]!;
      expect(market).toMatchObject({ question: `Who wins the cup?: ${name}`, event: { id: event.id, index, name } });
    }
    expect(await exchange.client.read(`/api/v1/events/${event.id}`)).toMatchObject({ id: event.id });
  });

  it('mints when a seller has no shares, in each market by itself', async () => {
    for (const market of markets.slice(0, 3)) await trade(market);
    expect(await collateral()).toBe(3n * SIZE);
    expect(await sharesOf(markets, ann)).toEqual([
      [SIZE, 0n],
      [SIZE, 0n],
      [SIZE, 0n],
      [0n, 0n],
    ]);
    expect(await sharesOf(markets, ben)).toEqual([
      [0n, SIZE],
      [0n, SIZE],
      [0n, SIZE],
      [0n, 0n],
    ]);
  });

  it('refuses conversions that are of no event, of no outcome, of the same outcome twice and of shares that are not there', async () => {
    const refused = async (body: object) => {
      const { status, body: reply } = await ben.post('ctf-conversion', body);
      return [status, reply.code];
    };
    const none = `0x${'11'.repeat(32)}` as const;
    expect(await refused(await ben.conversion(none, [0, 1], SIZE))).toEqual([404, 'event_not_found']);
    expect(await refused(await ben.conversion(event.id, [0, 4], SIZE))).toEqual([400, 'call_not_allowed']);
    expect(await refused(await ben.conversion(event.id, [0, 1], 0n))).toEqual([400, 'call_not_allowed']);
    expect(await refused(await ben.conversion(event.id, [], SIZE))).toEqual([400, 'invalid_request_body']);
    const twice = { ...(await ben.conversion(event.id, [0, 1], SIZE)), indexes: [1, 1] };
    expect(await refused(twice)).toEqual([400, 'invalid_request_body']);
    expect(await refused(await ben.conversion(event.id, [0, 3], SIZE))).toEqual([400, 'simulation_failed']);
    const changed = { ...(await ben.conversion(event.id, [0, 1], SIZE)), amount: (SIZE - 1n).toString() };
    expect(await ben.post('ctf-conversion', changed)).toMatchObject({
      status: 400,
      body: { code: 'simulation_failed', details: { reason: 'InvalidSignature()' } },
    });
  });

  it('turns NO of three outcomes into YES of the fourth, and collateral for two of them', async () => {
    const before = await exchange.chain.money(ben.address);
    const body = await ben.conversion(event.id, [0, 1, 2], SIZE);
    const hash = await ben.relayed('ctf-conversion', body);
    await exchange.confirmed(hash);
    expect(await ben.relayed('ctf-conversion', body)).toBe(hash);
    expect((await exchange.chain.money(ben.address)) - before).toBe(2n * SIZE);
    expect(await collateral()).toBe(SIZE);
    expect(await sharesOf(markets, ben)).toEqual([
      [0n, 0n],
      [0n, 0n],
      [0n, 0n],
      [SIZE, 0n],
    ]);
  });

  it('takes proposals of a winner only', async () => {
    await exchange.travel(LIFE_SECONDS + 1);
    const lost = await ann.post('propose-resolution', await ann.proposal(markets[1]!, false));
    expect(lost).toMatchObject({ status: 409, body: { code: 'event_needs_winner', details: { eventId: event.id } } });
    await exchange.confirmed(await ann.relayed('propose-resolution', await ann.proposal(markets[1]!, true)));
    await statusesAre(markets, 'proposed');
    const outcomes = markets.map(async ({ id }) => {
      const { assertion } = await exchange.client.read<{ assertion: { proposedOutcome: boolean } }>(
        `/api/v1/resolution/${id}`,
      );
      return assertion.proposedOutcome;
    });
    expect(await Promise.all(outcomes)).toEqual([false, true, false, false]);
  });

  it('is disputed, decided and proposed again as a whole', async () => {
    const disputed = await exchange.client.post('/sandbox/dispute', { marketId: markets[3]!.id });
    expect(disputed.status).toBe(200);
    await statusesAre(markets, 'disputed');
    const decided = await exchange.client.post('/sandbox/arbitrate', { marketId: markets[0]!.id, truthful: false });
    expect(decided.status).toBe(200);
    await statusesAre(markets, 'expired');
    await exchange.confirmed(await ann.relayed('propose-resolution', await ann.proposal(markets[2]!, true)));
    await statusesAre(markets, 'proposed');
    await exchange.travel(WINDOW_SECONDS);
    await exchange.confirmed(await ben.relayed('settle-market', await ben.settling(markets[0]!, 1)));
    await statusesAre(markets, 'resolved');
    expect(await exchange.client.read(`/api/v1/events/${event.id}`)).toMatchObject({ resolved: true, winningIndex: 2 });
  });

  it('pays the winner’s YES and nothing else, to the last unit', async () => {
    const lost = await ben.post('ctf-redemption', await ben.redemption(markets[3]!));
    expect(lost).toMatchObject({ status: 400, body: { code: 'nothing_to_redeem' } });
    const { markets: claims } = await exchange.client.read<{ markets: object[] }>(
      `/api/v1/users/${ann.address}/claim-data?chain_id=31337&markets=${markets[2]!.id}`,
    );
    expect(claims).toMatchObject([{ condition_id: event.id, index_sets: ['4', '11'], winning_outcome: 0 }]);
    const before = await exchange.chain.money(ann.address);
    const { status, body } = await ann.post('batch-ctf-redemption', await ann.batch(markets.slice(1, 3)));
    expect({ status, body }).toMatchObject({ status: 200 });
    await exchange.confirmed(body.txHash as Hex);
    expect((await exchange.chain.money(ann.address)) - before).toBe(SIZE);
    expect(await collateral()).toBe(0n);
    expect(await sharesOf(markets.slice(1, 3), ann)).toEqual([
      [0n, 0n],
      [0n, 0n],
    ]);
    const paid = await waitFor('the payout is seen', async () => {
      const { settlements } = await exchange.client.read<{ settlements: { payout: number; marketId: string }[] }>(
        `/api/v1/users/${ann.address}/activity?chain_id=31337`,
      );
      return settlements.length === 2 && settlements;
    });
    expect(new Map(paid.map(({ marketId, payout }) => [marketId, payout]))).toEqual(
      new Map([
        [markets[1]!.id, 0],
        [markets[2]!.id, Number(SIZE)],
      ]),
    );
  });
});

describe('an event without an answer', () => {
  it('pays every outcome the same, and all collateral', async () => {
    const [event, markets] = await newEvent('Which is it?', ['One', 'Two', 'Three']);
    for (const market of markets.slice(0, 2)) await trade(market);
    await exchange.travel(LIFE_SECONDS + 1);
    await exchange.confirmed(await ann.relayed('propose-resolution', await ann.proposal(markets[2]!, 2)));
    await exchange.travel(WINDOW_SECONDS);
    await exchange.confirmed(await ben.relayed('settle-market', await ben.settling(markets[1]!, 2)));
    await statusesAre(markets, 'void');
    expect(await exchange.client.read(`/api/v1/events/${event.id}`)).toMatchObject({
      status: 'void',
      winningIndex: null,
    });
    const before = { ann: await exchange.chain.money(ann.address), ben: await exchange.chain.money(ben.address) };
    for (const wallet of [ann, ben]) {
      const { status, body } = await wallet.post('batch-ctf-redemption', await wallet.batch(markets.slice(0, 2)));
      expect({ status, body }).toMatchObject({ status: 200 });
      await exchange.confirmed(body.txHash as Hex);
    }
    expect((await exchange.chain.money(ann.address)) - before.ann).toBe((2n * SIZE) / 3n);
    expect((await exchange.chain.money(ben.address)) - before.ben).toBe((4n * SIZE) / 3n);
    expect(await collateral()).toBe(0n);
  });
});

describe('events that cannot be', () => {
  it.each([
    ['one outcome', ['Alone'], 'outcomes'],
    ['a name twice', ['Ann', 'Ben', ' ann'], 'outcomes.2'],
    ['an empty name', ['Ann', '  ', 'Cid'], 'outcomes.1'],
    ['a name that is too long', ['Ann', 'Ben', 'é'.repeat(33)], 'outcomes.2'],
    ['too many outcomes', Array.from({ length: 129 }, (_, index) => `Team ${index}`), 'outcomes'],
  ])('are refused with %s', async (_what, outcomes, field) => {
    const answer = await exchange.client.post('/sandbox/events', { question: 'Who?', outcomes, expiresIn: 3_600 });
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_field', details: { field } } });
  });
});
