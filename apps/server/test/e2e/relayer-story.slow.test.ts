// The whole life of a bet by people who hold no gas money: permit, approve, buy, propose, settle, redeem.
import { BatchRedemptionAnswer } from '@presage/protocol';
import { waitFor, walletOf } from '@presage/testkit';
import type { Hex } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Exchange } from './exchange.ts';
import { RelayedWallet, UNLIMITED } from './relayed-wallet.ts';
import { expectShape, type MarketBody } from './wire.ts';

interface ClaimBody {
  readonly txHash: string;
  readonly marketId: string;
  readonly payout: number;
  readonly status?: string;
}

const MONEY = 1_000_000_000n;
const WINDOW_SECONDS = 7_200;
let exchange: Exchange;
let ann: RelayedWallet;
let ben: RelayedWallet;
let markets: MarketBody[];

beforeAll(async () => {
  const env = { PRESAGE_SANDBOX_AUTOFUND: 'off', PRESAGE_COLLATERAL_CHECK: 'off', PRESAGE_KEEPER: 'off' };
  exchange = await Exchange.open({ env });
  ann = await fundedWallet('ann');
  ben = await fundedWallet('ben');
  markets = [];
  for (const name of ['A', 'B', 'C', 'D']) markets.push(await exchange.newMarket(`Is it ${name}?`, 86_400));
});
afterAll(() => exchange?.close());

async function fundedWallet(name: string): Promise<RelayedWallet> {
  const account = walletOf(`gasless ${name}`);
  await exchange.client.post('/sandbox/fund', { address: account.address, amount: Number(MONEY) });
  return RelayedWallet.open(exchange, account);
}

function pendingClaims(): Promise<ClaimBody[]> {
  return exchange.client
    .read<{ pendingClaims: ClaimBody[] }>('/api/v1/pending-claims')
    .then((body) => body.pendingClaims);
}

describe('two people without gas money', () => {
  it('equip themselves by signature', async () => {
    for (const wallet of [ann, ben]) {
      await wallet.relayed('usdc-permit', await wallet.permit(wallet.chain.settlement.address, UNLIMITED));
      await exchange.confirmed(await wallet.relayed('ctf-approval', await wallet.approval()));
      expect(await exchange.chain.gasMoney(wallet.address)).toBe(0n);
    }
  });

  it('trade in four markets', async () => {
    for (const { id } of markets) {
      await exchange.client.order(ben.account, { market: id, side: 'sell', price: '0.6', size: '10' });
      await exchange.client.order(ann.account, { market: id, side: 'buy', price: '0.6', size: '10' });
    }
    await exchange.settled();
    expect(await exchange.chain.money(ann.address)).toBe(MONEY - 24_000_000n);
    expect(await exchange.chain.money(ben.address)).toBe(MONEY - 16_000_000n);
  });

  it('cannot propose before the expiration, and propose after it, with the operator’s bond or their own', async () => {
    const early = await ann.post('propose-resolution', await ann.proposal(markets[0]!, true));
    expect(early.body).toMatchObject({ code: 'simulation_failed', details: { reason: 'MarketNotExpired()' } });
    await exchange.travel(86_401);
    const sponsored = await Promise.all(
      markets.slice(0, 3).map(async (market) => ann.relayed('propose-resolution', await ann.proposal(market, true))),
    );
    for (const hash of sponsored) await exchange.confirmed(hash);
    const bond = BigInt(ann.chain.bondAmount);
    await exchange.confirmed(await ann.relayed('propose-resolution', await ann.proposal(markets[3]!, true, bond)));
    expect(await exchange.chain.money(ann.address)).toBe(MONEY - 24_000_000n - bond);
    for (const { id } of markets) {
      const seen = await waitFor('the service has seen the proposal', async () => {
        const state = await exchange.client.read<{ assertion?: object }>(`/api/v1/resolution/${id}`);
        return state.assertion !== undefined && state;
      });
      expect(seen).toMatchObject({ expired: true, resolved: false, assertion: { proposer: ann.address } });
    }
  });

  it('cannot settle inside the dispute window, and settle after it; the second gets the first one’s transaction', async () => {
    const early = await ben.post('settle-market', await ben.settling(markets[0]!, 0));
    expect(early).toMatchObject({ status: 400, body: { success: false, code: 'simulation_failed' } });
    expect(early.body.details?.reason).toMatch(/[A-Za-z]/);
    await exchange.travel(WINDOW_SECONDS);
    const wrong = await ben.post('settle-market', await ben.settling(markets[0]!, 1));
    expect(wrong.body).toMatchObject({ code: 'simulation_failed', details: { reason: 'OutcomeDiffers(0)' } });
    const hashes: Hex[] = [];
    for (const market of markets) hashes.push(await ben.relayed('settle-market', await ben.settling(market, 0)));
    for (const hash of hashes) await exchange.confirmed(hash);
    expect(await ann.relayed('settle-market', await ann.settling(markets[0]!, 0))).toBe(hashes[0]);
    expect(await exchange.chain.money(ann.address)).toBe(MONEY - 24_000_000n);
  });

  it('redeem one market alone and three in one transaction, to the last unit', async () => {
    const one = await ann.relayed('ctf-redemption', await ann.redemption(markets[0]!));
    const { status, body } = await ann.post('batch-ctf-redemption', await ann.batch(markets.slice(1)));
    expect(status).toBe(200);
    expectShape(body, BatchRedemptionAnswer);
    await exchange.confirmed(one);
    await exchange.confirmed(body.txHash as Hex);
    expect(await exchange.chain.money(ann.address)).toBe(MONEY + 16_000_000n);
    for (const market of markets) {
      expect(await exchange.chain.shares(market, ann.address)).toEqual({ yes: 0n, no: 0n });
    }
    await waitFor('no claim is pending', async () => (await pendingClaims()).length === 0);
    expect(await exchange.client.read('/api/v1/failed-claims')).toEqual({ failedClaims: [], count: 0 });
    const paid = await waitFor('the payouts are seen', async () => {
      const { settlements } = await exchange.client.read<{ settlements: ClaimBody[] }>(
        `/api/v1/users/${ann.address}/activity?chain_id=31337`,
      );
      return settlements.length === 4 && settlements.every(({ status }) => status === 'confirmed') && settlements;
    });
    expect(paid.map(({ payout }) => payout)).toEqual([10_000_000, 10_000_000, 10_000_000, 10_000_000]);
    expect(paid.filter(({ txHash }) => txHash === body.txHash)).toHaveLength(3);
  });

  it('get an answer when there is nothing to redeem, and never needed gas', async () => {
    const lost = await ben.post('ctf-redemption', await ben.redemption(markets[0]!));
    expect(lost).toMatchObject({ status: 400, body: { success: false, code: 'nothing_to_redeem' } });
    const again = await ann.post('batch-ctf-redemption', await ann.batch(markets.slice(1)));
    expect(again).toMatchObject({ status: 400, body: { success: false, code: 'nothing_to_redeem' } });
    for (const wallet of [ann, ben]) expect(await exchange.chain.transactionCount(wallet.address)).toBe(0);
  });
});
