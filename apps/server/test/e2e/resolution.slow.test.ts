// A market's way from its expiration to the last payout, on the real chain, with nobody settling but the test.
import { FailedClaims, PendingClaims, ResolutionBody, UserActivity } from '@presage/protocol';
import { waitFor, walletOf } from '@presage/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Decisions, type ResolutionAnswer } from './decisions.ts';
import { Exchange } from './exchange.ts';
import { type ErrorReply, expectShape, type MarketBody } from './wire.ts';

const HOUR = 3_600;
const WINDOW = 2 * HOUR;
const CHAIN = 31_337;
/** Windows that end and begin would only take time at every journey. */
const ENV = { PRESAGE_KEEPER: 'off', PRESAGE_QUICK_ASSETS: 'off' };
const [ann, ben, cat] = [walletOf('deciding ann'), walletOf('deciding ben'), walletOf('deciding cat')];
let exchange: Exchange;
let decisions: Decisions;

beforeAll(async () => {
  exchange = await Exchange.open({ env: ENV });
  decisions = await Decisions.open(exchange);
});
afterAll(() => exchange?.close());

async function expiredMarket(question: string): Promise<MarketBody> {
  const market = await exchange.newMarket(question, HOUR);
  await decisions.travel(HOUR);
  return market;
}

/** Ann sells, Ben buys: Ben holds YES, Ann what was minted for it. */
async function tradedMarket(question: string, price: string, size: string): Promise<MarketBody> {
  const market = await exchange.newMarket(question, HOUR);
  await exchange.client.order(ann, { market: market.id, side: 'sell', price, size });
  await exchange.client.order(ben, { market: market.id, side: 'buy', price, size });
  await exchange.settled();
  await decisions.travel(HOUR);
  return market;
}

function findMarket({ id }: MarketBody): Promise<MarketBody> {
  return exchange.client.read(`/api/v1/markets/${id}`);
}

function play(move: 'dispute' | 'arbitrate', body: object) {
  return exchange.client.post<ResolutionAnswer & ErrorReply>(`/sandbox/${move}`, body);
}

describe('an undisputed proposal', () => {
  it('goes from open over expired and proposed to resolved, and is settled only after its window', async () => {
    const market = await exchange.newMarket('Is it so?', HOUR);
    const open = await decisions.read(market);
    expectShape(open, ResolutionBody);
    expect(open).toEqual({
      marketId: market.id,
      expired: false,
      resolved: false,
      status: 'open',
      round: 0,
      disputer: null,
      others: [],
      history: [],
    });
    await expect(decisions.propose(market, cat, true)).rejects.toThrow('reverted');
    await decisions.travel(HOUR);
    expect(await decisions.read(market)).toMatchObject({ expired: true, resolved: false, status: 'expired' });

    await decisions.propose(market, cat, true);
    const proposed = await decisions.becomes(market, 'proposed');
    expectShape(proposed, ResolutionBody);
    const { assertion } = proposed;
    expect(assertion).toMatchObject({
      proposer: cat.address,
      bondPayer: cat.address,
      proposedOutcome: true,
      disputer: null,
      bondAmount: decisions.bond.toString(),
      settled: false,
      settlementResolution: false,
      disputed: false,
    });
    expect(assertion!.expirationTime - assertion!.assertionTime).toBe(WINDOW);
    expect(proposed).toMatchObject({ expired: true, resolved: false, round: 1, history: [] });
    expect(await findMarket(market)).toMatchObject({ status: 'proposed', resolved: false, winningOutcome: null });

    await expect(decisions.settle(market, ann)).rejects.toThrow('reverted');
    await decisions.travel(WINDOW + 60);
    expect(await decisions.read(market)).toMatchObject({ status: 'proposed' });
    await decisions.settle(market, ann);
    const resolved = await decisions.becomes(market, 'resolved');
    expectShape(resolved, ResolutionBody);
    expect(resolved).toMatchObject({ resolved: true, winningOutcome: 0, payouts: [1_000_000, 0] });
    expect(resolved.assertion).toEqual({ ...assertion, settled: true, settlementResolution: true });
    expect(await findMarket(market)).toMatchObject({ status: 'resolved', resolved: true, winningOutcome: 0 });
    expect(await exchange.chain.money(cat.address)).toBe(decisions.bond * 2n);
    const { markets } = await exchange.client.read<{ markets: MarketBody[] }>('/api/v1/markets?status=resolved');
    expect(markets.map(({ id }) => id)).toContain(market.id);
  });

  it('leaves the market closed for orders', async () => {
    const market = await expiredMarket('Does it stay closed?');
    await decisions.propose(market, cat, false);
    await decisions.becomes(market, 'proposed');
    const order = { market: market.id, side: 'buy', price: '0.4', size: '1' } as const;
    expect(await exchange.client.placeOrder(ann, order)).toMatchObject({
      status: 409,
      body: { code: 'market_closed' },
    });
  });
});

describe('a disputed proposal', () => {
  const balances = async () => {
    const { disputer } = await onChain();
    return (await exchange.chain.money(cat.address)) + (await exchange.chain.money(disputer));
  };
  let known: { disputer: `0x${string}` } | undefined;
  const onChain = async () => {
    if (known === undefined) throw new Error('nobody has disputed yet');
    return known;
  };

  it('that is upheld resolves the market at once with the proposed outcome, and the bonds go to the proposer', async () => {
    const market = await expiredMarket('Is it upheld?');
    await decisions.propose(market, cat, false);
    await decisions.becomes(market, 'proposed');
    const before = await exchange.chain.money(cat.address);
    const { status, body: disputed } = await play('dispute', { marketId: market.id });
    expect(status).toBe(200);
    expectShape(disputed, ResolutionBody);
    expect(disputed).toMatchObject({
      status: 'disputed',
      resolved: false,
      assertion: { disputed: true, settled: false },
    });
    expect(disputed.disputer).toBe(disputed.assertion?.disputer);
    known = { disputer: disputed.disputer as `0x${string}` };
    expect(await findMarket(market)).toMatchObject({ status: 'disputed' });
    await decisions.travel(WINDOW + 60);
    await expect(decisions.settle(market, ann)).rejects.toThrow('reverted');

    const total = await balances();
    const upheld = await play('arbitrate', { marketId: market.id, truthful: true });
    expect(upheld).toMatchObject({
      status: 200,
      body: {
        status: 'resolved',
        resolved: true,
        winningOutcome: 1,
        payouts: [0, 1_000_000],
        history: [],
        assertion: { disputed: true, settled: true, settlementResolution: true },
      },
    });
    expect(await exchange.chain.money(cat.address)).toBe(before + 2n * decisions.bond);
    expect(await balances()).toBe(total + 2n * decisions.bond);
  });

  it('that is rejected leaves the market expired, to be proposed again with the other outcome and settled', async () => {
    const market = await expiredMarket('Is it rejected?');
    await decisions.propose(market, cat, true);
    const first = (await decisions.becomes(market, 'proposed')).assertion!;
    await play('dispute', { marketId: market.id });
    const { disputer } = await onChain();
    const before = await exchange.chain.money(disputer);
    const { body: rejected } = await play('arbitrate', { marketId: market.id, truthful: false });
    expectShape(rejected, ResolutionBody);
    expect(rejected).toMatchObject({ status: 'expired', resolved: false, round: 1, disputer: null });
    expect(rejected).not.toHaveProperty('assertion');
    expect(rejected).not.toHaveProperty('winningOutcome');
    expect(rejected.history).toEqual([{ ...first, disputed: true, disputer, settled: true }]);
    expect(await exchange.chain.money(disputer)).toBe(before + 2n * decisions.bond);
    expect(await findMarket(market)).toMatchObject({ status: 'expired', resolved: false });

    await decisions.propose(market, ann, false);
    const again = await decisions.becomes(market, 'proposed');
    expect(again).toMatchObject({ round: 2, assertion: { proposer: ann.address, proposedOutcome: false } });
    expect(again.history).toEqual(rejected.history);
    await decisions.travel(WINDOW);
    await decisions.settle(market, ben);
    const resolved = await decisions.becomes(market, 'resolved');
    expect(resolved).toMatchObject({ round: 2, winningOutcome: 1, payouts: [0, 1_000_000], history: rejected.history });
  });

  it('does not prevent a proposal of another outcome, which decides while the first still waits', async () => {
    const market = await expiredMarket('Are there two?');
    await decisions.propose(market, cat, false);
    const lie = (await decisions.becomes(market, 'proposed')).assertion!;
    await play('dispute', { marketId: market.id });
    await decisions.propose(market, ann, true);
    const both = await decisions.becomes(market, 'proposed');
    expectShape(both, ResolutionBody);
    expect(both).toMatchObject({ round: 2, assertion: { proposer: ann.address, proposedOutcome: true }, history: [] });
    expect(both.others).toMatchObject([{ id: lie.id, disputed: true, settled: false }]);
    await decisions.travel(WINDOW);
    await decisions.settle(market, ben);
    const resolved = await decisions.becomes(market, 'resolved');
    expect(resolved).toMatchObject({ winningOutcome: 0, assertion: { proposer: ann.address, settled: true } });
    expect(resolved.others).toMatchObject([{ id: lie.id, settled: false }]);
    expect(await play('arbitrate', { marketId: market.id, truthful: false })).toMatchObject({ status: 409 });
  });

  it('needs something to dispute, and a dispute to decide', async () => {
    const market = await expiredMarket('Is there anything?');
    const nowhere = `0x${'77'.repeat(32)}`;
    const { id: marketId } = market;
    for (const [move, body, status, code] of [
      ['dispute', {}, 400, 'invalid_field'],
      ['dispute', { marketId: nowhere }, 404, 'market_not_found'],
      ['dispute', { marketId }, 409, 'nothing_to_dispute'],
      ['arbitrate', { marketId }, 400, 'invalid_field'],
      ['arbitrate', { marketId: nowhere, truthful: true }, 404, 'market_not_found'],
      ['arbitrate', { marketId, truthful: true }, 409, 'nothing_to_arbitrate'],
    ] as const) {
      expect(await play(move, body), `${move} ${JSON.stringify(body)}`).toMatchObject({ status, body: { code } });
    }
    const undisputed = await play('arbitrate', { marketId, truthful: true });
    expect(undisputed.body.details).toEqual({ status: (await decisions.read(market)).status });
    expect(undisputed.body.details).toEqual({ status: 'expired' });
    await decisions.propose(market, cat, true);
    await decisions.becomes(market, 'proposed');
    await decisions.travel(WINDOW);
    const late = await play('dispute', { marketId });
    expect(late).toMatchObject({ status: 400, body: { code: 'simulation_failed' } });
    expect(late.body.details?.reason).toMatch(/WindowOver/);
  });
});

describe('a market that allows early results', () => {
  it('stops trading with a proposal, goes on after its rejection, and is resolved before its expiration', async () => {
    const body = { question: 'Is it known early?', expiresIn: 30 * 86_400, earlyResolution: true };
    const { body: market } = await exchange.client.post<MarketBody>('/sandbox/markets', body);
    const order = { market: market.id, side: 'buy', price: '0.4', size: '1' } as const;
    await decisions.propose(market, cat, true);
    await decisions.becomes(market, 'proposed');
    expect(await exchange.client.placeOrder(ann, order)).toMatchObject({ body: { code: 'market_closed' } });
    await play('dispute', { marketId: market.id });
    const { body: rejected } = await play('arbitrate', { marketId: market.id, truthful: false });
    expect(rejected).toMatchObject({ status: 'open', expired: false, round: 1 });
    expect(await exchange.client.placeOrder(ann, order)).toMatchObject({ status: 200 });

    await decisions.propose(market, cat, false);
    await decisions.becomes(market, 'proposed');
    await decisions.travel(WINDOW);
    await decisions.settle(market, ben);
    expect(await decisions.becomes(market, 'resolved')).toMatchObject({ winningOutcome: 1 });
  });
});

describe('what a market pays', () => {
  const listing = (path: string) => exchange.client.read<Record<string, unknown>>(path);
  const claimable = (wallet: { address: string }) =>
    listing(`/api/v1/users/${wallet.address}/claimable?chain_id=${CHAIN}`);
  const settlements = async (wallet: { address: string }) => {
    const activity = await listing(`/api/v1/users/${wallet.address}/activity?chain_id=${CHAIN}`);
    expectShape(activity, UserActivity);
    return activity.settlements as Record<string, unknown>[];
  };
  const statistics = (wallet: { address: string }) => listing(`/api/v1/user-stats?address=${wallet.address}`);

  it('is claimable once it is resolved, and after the redemption it is in positions, settlements and statistics', async () => {
    const market = await tradedMarket('Who is paid?', '0.37', '12.345678');
    const size = 12_345_678n;
    const cost = (370_000n * size + 999_999n) / 1_000_000n;
    await decisions.propose(market, cat, true);
    await decisions.becomes(market, 'proposed');
    expect(await claimable(ben)).toMatchObject({ claimable: [], count: 0, totalPayout: 0 });
    await decisions.travel(WINDOW);
    await decisions.settle(market, cat);
    await decisions.becomes(market, 'resolved');
    expect(await claimable(ben)).toEqual({
      claimable: [
        {
          market_id: market.id,
          contract_address: market.contractAddress,
          outcome_label: 'YES',
          balance: Number(size),
          payout: Number(size),
        },
      ],
      count: 1,
      totalPayout: Number(size),
    });
    expect(await claimable(ann)).toMatchObject({ count: 0 });
    expect(await statistics(ben)).toMatchObject({
      total_cost: Number(cost),
      total_invested: Number(cost),
      position_value: Number(size),
      pnl: Number(size - cost),
    });

    const before = await exchange.chain.money(ben.address);
    await decisions.redeem(market, ben);
    const position = await waitFor('the shares are gone', async () => {
      const held = await exchange.position(market.id, ben);
      return held.yesShares === 0 && held;
    });
    expect((await exchange.chain.money(ben.address)) - before).toBe(size);
    expect(position).toMatchObject({
      yesShares: 0,
      noShares: 0,
      totalInvested: 0,
      yesCost: 0,
      yesRevenue: Number(size),
      realizedPnl: Number(size - cost),
    });
    expect(await claimable(ben)).toMatchObject({ claimable: [], count: 0, totalPayout: 0 });
    expect(await statistics(ben)).toMatchObject({
      total_cost: Number(cost),
      total_invested: 0,
      position_value: 0,
      pnl: Number(size - cost),
    });
    const [paid] = await settlements(ben);
    expect(paid).toMatchObject({
      marketId: market.id,
      marketQuestion: 'Who is paid?',
      contractAddress: market.contractAddress,
      payout: Number(size),
      winningOutcome: 0,
      status: 'confirmed',
    });
    expect(paid?.txHash).toMatch(/^0x[0-9a-f]{64}$/);

    // The loser's shares pay nothing and go all the same; what they cost is lost.
    await decisions.redeem(market, ann);
    const lost = await waitFor('the worthless shares are gone', async () => {
      const held = await exchange.position(market.id, ann);
      return held.noShares === 0 && held;
    });
    expect(lost).toMatchObject({ noRevenue: 0, realizedPnl: -Number(size - cost) });
    const { topHolders, totalHolders } = await listing(`/api/v1/holders/${market.id}`);
    expect([topHolders, totalHolders]).toEqual([[], 0]);
  });

  it('is half each in a void market, rounded down for each outcome', async () => {
    const market = await tradedMarket('Is it void?', '0.6', '1.000001');
    await decisions.makeVoid(market);
    const voided = await decisions.becomes(market, 'void');
    expectShape(voided, ResolutionBody);
    expect(voided).toMatchObject({ expired: true, resolved: true, payouts: [500_000, 500_000], round: 0 });
    expect(voided).not.toHaveProperty('winningOutcome');
    expect(await findMarket(market)).toMatchObject({ status: 'void', resolved: true, winningOutcome: null });
    expect(await claimable(ben)).toMatchObject({ count: 1, totalPayout: 500_000 });
    const data = await listing(`/api/v1/users/${ben.address}/claim-data?chain_id=${CHAIN}&markets=${market.id}`);
    expect(data.markets).toMatchObject([{ resolved: true, winning_outcome: 0, winning_balance: 1_000_001 }]);
    await decisions.redeem(market, ben);
    const [paid] = await waitFor('the payout is listed', async () => {
      const payouts = await settlements(ben);
      return payouts[0]?.marketId === market.id && payouts;
    });
    expect(paid).toMatchObject({ payout: 500_000, winningOutcome: -1 });
    const cost = 600_001;
    expect(await exchange.position(market.id, ben)).toMatchObject({
      yesShares: 0,
      yesRevenue: 500_000,
      realizedPnl: 500_000 - cost,
    });
  });

  it('needs no claim: the lists of claims have their shape when they are empty', async () => {
    const pending = await exchange.client.read('/api/v1/pending-claims');
    const failed = await exchange.client.read('/api/v1/failed-claims');
    expectShape(pending, PendingClaims);
    expectShape(failed, FailedClaims);
    expect([pending, failed]).toEqual([
      { pendingClaims: [], count: 0 },
      { failedClaims: [], count: 0 },
    ]);
  });
});

describe('shares moved past the exchange', () => {
  it('are followed: split, transfer and merge show in positions without a sync', async () => {
    const market = await exchange.newMarket('Are shares followed?');
    await decisions.split(market, cat, 9_000_001n);
    const held = (yes: number, no: number, who = cat) =>
      waitFor(`${yes} YES and ${no} NO`, async () => {
        const position = await exchange.position(market.id, who);
        return position.yesShares === yes && position.noShares === no && position;
      });
    expect(await held(9_000_001, 9_000_001)).toMatchObject({ yesCost: 4_500_000, noCost: 4_500_001, realizedPnl: 0 });
    await decisions.give(market, cat, ben, 3_000_000n);
    expect(await held(3_000_000, 0, ben)).toMatchObject({ yesCost: 0, realizedPnl: 0 });
    const yesCost = 4_500_000 - Math.floor((4_500_000 * 3_000_000) / 9_000_001);
    expect(await held(6_000_001, 9_000_001)).toMatchObject({ yesCost, realizedPnl: 0 });
    await decisions.merge(market, cat, 6_000_001n);
    const noCost = 4_500_001 - Math.floor((4_500_001 * 6_000_001) / 9_000_001);
    expect(await held(0, 3_000_000)).toMatchObject({
      yesCost: 0,
      noCost,
      yesRevenue: 3_000_000,
      noRevenue: 3_000_001,
      realizedPnl: 6_000_001 - yesCost - (4_500_001 - noCost),
    });
    for (const wallet of [ben, cat]) {
      const { reported, onChain } = await exchange.sharesBothWays(market, wallet);
      expect(reported).toEqual(onChain);
    }
  });
});

describe('after a restart', () => {
  it('every market is in the same state as before', async () => {
    const states: Record<string, MarketBody> = { open: await exchange.newMarket('Open?') };
    const propose = async (question: string) => {
      const market = await expiredMarket(question);
      await decisions.propose(market, cat, true);
      await decisions.becomes(market, 'proposed');
      return market;
    };
    states.expired = await expiredMarket('Expired?');
    states.resolved = await propose('Resolved?');
    await decisions.travel(WINDOW);
    await decisions.settle(states.resolved, ann);
    await decisions.becomes(states.resolved, 'resolved');
    states.rejected = await propose('Rejected?');
    states.disputed = await propose('Disputed?');
    for (const { id: marketId } of [states.rejected, states.disputed]) await play('dispute', { marketId });
    await play('arbitrate', { marketId: states.rejected.id, truthful: false });
    states.proposed = await propose('Proposed?');
    const readAll = async () => {
      const decided: Record<string, unknown> = {};
      for (const [name, market] of Object.entries(states)) decided[name] = await decisions.read(market);
      const { positions } = await exchange.client.read<{ positions: unknown[] }>(
        `/api/v1/users/${ben.address}/positions?chain_id=${CHAIN}`,
      );
      return {
        decided,
        positions,
        activity: await exchange.client.read(`/api/v1/users/${ben.address}/activity?chain_id=${CHAIN}`),
      };
    };
    const before = await readAll();
    await exchange.sandbox.killGroup();
    exchange = await exchange.reopen({ env: ENV });
    decisions = await Decisions.open(exchange);
    expect(await readAll()).toEqual(before);
    await decisions.travel(WINDOW);
    await decisions.settle(states.proposed, ann);
    await decisions.becomes(states.proposed, 'resolved');
  });
});
