// The parts of the relayer that decide: turns, budgets, payouts, memory.
import { type OperationView, RETAINED_OPERATIONS } from '@presage/chain';
import type { Hex, MarketFacts } from '@presage/protocol';
import { PresageError } from '@presage/protocol';
import { eventFacts } from '@presage/testkit';
import { describe, expect, it } from 'vitest';
import { GasBudget, type Reputation } from '../../src/relayer/gas-budget.ts';
import { OwnerLanes } from '../../src/relayer/owner-lanes.ts';
import type { RelayRecord } from '../../src/relayer/ports.ts';
import { byMarket, expectClaims } from '../../src/relayer/redemption-payouts.ts';
import { RelayBook } from '../../src/relayer/relay-book.ts';
import { findReputation } from '../../src/relayer/wallet-reputation.ts';

const ann = `0x${'aa'.repeat(20)}` as const;
const ben = `0x${'bb'.repeat(20)}` as const;
const token = `0x${'cc'.repeat(20)}` as const;

function refusalOf(work: () => void): PresageError | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof PresageError) return error;
    throw error;
  }
}

describe('the gas budget', () => {
  const limits = {
    callsPerWalletHour: 2,
    gasPerWalletHour: 1_000,
    gasPerHour: 1_500,
    emptyPercent: 100,
    tradersPercent: 0,
  };
  const HOUR = 3_600_000;

  it('counts calls and gas of a wallet and the gas of all, over the last hour of wall time', () => {
    let now = 0;
    const budget = new GasBudget(limits, () => now);
    const spend = (owner: `0x${string}`, gas: number) => {
      budget.check({ owner }, BigInt(gas));
      budget.spend({ owner, gas, wallMs: now });
    };
    spend(ann, 400);
    now = 60_000;
    spend(ann, 500);
    const calls = refusalOf(() => budget.check({ owner: ann }, 1n));
    expect(calls?.code).toBe('relayer_budget_spent');
    expect(calls?.details).toMatchObject({ what: 'calls of this wallet', retryAfterSeconds: 3_540 });
    expect(refusalOf(() => budget.check({ owner: ben }, 1_001n))?.details).toMatchObject({
      what: 'gas of this wallet',
    });
    expect(refusalOf(() => budget.check({ owner: ben }, 700n))?.details).toMatchObject({ what: 'gas of all wallets' });
    spend(ben, 600);
    now = HOUR;
    expect(refusalOf(() => budget.check({ owner: ann }, 400n))).toBeUndefined();
  });

  it('keeps a share for wallets that trade, whatever fresh wallets ask for', () => {
    const shares = {
      callsPerWalletHour: 99,
      gasPerWalletHour: 1_000,
      gasPerHour: 1_000,
      emptyPercent: 10,
      tradersPercent: 30,
    };
    const budget = new GasBudget(shares, () => 0);
    const spend = (index: number, gas: number, reputation: Reputation) => {
      const owner = `0x${String(index).padStart(40, '0')}` as const;
      const refusal = refusalOf(() => budget.check({ owner, reputation }, BigInt(gas)));
      if (refusal === undefined) budget.spend({ owner, gas, wallMs: 0, reputation });
      return refusal?.details?.what;
    };
    const fresh = Array.from({ length: 50 }, (_, index) => spend(index, 4, 'empty'));
    expect(fresh.slice(0, 4)).toEqual(Array(4).fill(undefined));
    expect(new Set(fresh.slice(4))).toEqual(new Set(['gas of wallets that hold nothing']));
    const funded = Array.from({ length: 50 }, (_, index) => spend(100 + index, 20, 'funded'));
    expect(funded.filter((what) => what === undefined)).toHaveLength(34);
    expect(funded.at(-1)).toBe('gas of wallets that do not trade');
    expect(spend(200, 300, 'trading')).toBeUndefined();
    expect(spend(201, 5, 'trading')).toBe('gas of all wallets');
  });

  it('lets no address use up what newcomers need, and gives the share of fresh wallets in parts', () => {
    const shares = {
      callsPerWalletHour: 99,
      gasPerWalletHour: 1_000,
      gasPerHour: 6_000,
      emptyPercent: 10,
      tradersPercent: 30,
    };
    let now = 0;
    let wallets = 0;
    const budget = new GasBudget(shares, () => now);
    const spend = (client: string) => {
      const payee = { owner: `0x${String(wallets++).padStart(40, '0')}`, reputation: 'empty', client } as const;
      const refusal = refusalOf(() => budget.check(payee, 10n));
      if (refusal === undefined) budget.spend({ ...payee, gas: 10, wallMs: now });
      return refusal?.details;
    };
    const sybils = Array.from({ length: 20 }, () => spend('192.0.2.1'));
    expect(sybils.filter((refusal) => refusal === undefined)).toHaveLength(6);
    expect(sybils.at(-1)).toMatchObject({ what: 'gas of wallets of this address that hold nothing' });
    expect(spend('192.0.2.2')).toBeUndefined();
    const many = Array.from({ length: 20 }, (_, index) => spend(`198.51.100.${index}`));
    expect(many.filter((refusal) => refusal === undefined)).toHaveLength(3);
    expect(many.at(-1)).toMatchObject({ what: 'gas of wallets that hold nothing', retryAfterSeconds: 600 });
    now = HOUR / 6;
    expect(spend('192.0.2.3')).toBeUndefined();
    expect(spend('192.0.2.1')).toMatchObject({ retryAfterSeconds: 3_000 });
  });

  it('knows a wallet by its orders, by what the call itself proves, and by its money', async () => {
    const asked: string[] = [];
    const wallets = {
      hasOrders: (wallet: string) => wallet === ann,
      balanceOf: async (wallet: string) => {
        asked.push(wallet);
        return wallet === ben ? 1_000_000n : 999_999n;
      },
    };
    const stranger = `0x${'5'.repeat(40)}` as const;
    expect(await findReputation({ owner: ann, operation: 'ctf-approval' }, wallets)).toBe('trading');
    expect(await findReputation({ owner: stranger, operation: 'ctf-redemption' }, wallets)).toBe('funded');
    expect(await findReputation({ owner: ben, operation: 'ctf-approval' }, wallets)).toBe('funded');
    expect(await findReputation({ owner: stranger, operation: 'stablecoin-permit' }, wallets)).toBe('empty');
    expect(asked).toEqual([ben, stranger]);
  });

  it('refuses nothing where there are no limits', () => {
    const budget = new GasBudget(undefined, () => 0);
    for (let i = 0; i < 100; i++) budget.spend({ owner: ann, gas: 1e9, wallMs: 0 });
    expect(refusalOf(() => budget.check({ owner: ann }, 1_000_000_000n))).toBeUndefined();
  });
});

describe('the lanes', () => {
  it('let one in at a time, in the order of arrival, and others pass in other lanes', async () => {
    const lanes = new OwnerLanes();
    const seen: string[] = [];
    const leaveFirst = await lanes.enter(['a'], 1_000);
    const second = lanes.enter(['a'], 1_000).then((leave) => {
      seen.push('second');
      leave();
    });
    const third = lanes.enter(['a'], 1_000).then((leave) => {
      seen.push('third');
      leave();
    });
    (await lanes.enter(['b'], 0))();
    expect(seen).toEqual([]);
    leaveFirst();
    await Promise.all([second, third]);
    expect(seen).toEqual(['second', 'third']);
  });

  it('refuse requests that wait too long, without blocking those behind', async () => {
    const lanes = new OwnerLanes();
    const leave = await lanes.enter(['a'], 1_000);
    await expect(lanes.enter(['b', 'a'], 5)).rejects.toMatchObject({ code: 'relayer_busy' });
    (await lanes.enter(['b'], 0))();
    leave();
    (await lanes.enter(['a'], 1_000))();
  });

  it('never wait for each other crosswise', async () => {
    const lanes = new OwnerLanes();
    const both = [lanes.enter(['a', 'b'], 1_000), lanes.enter(['b', 'a'], 1_000)];
    for (const entering of both) (await entering)();
  });
});

describe('expected payouts', () => {
  const market = (id: string) => ({ marketId: `0x${id}`, contractAddress: token }) as unknown as MarketFacts;
  const won = { denominator: 1n, numerators: [1n, 0n], shares: [7n, 5n] } as const;
  const split = { denominator: 2n, numerators: [1n, 1n], shares: [7n, 5n] } as const;

  it('are what the shares are worth, rounded down by position, -1 for a void market', () => {
    const both = { indexSets: [1n, 2n] };
    const claims = expectClaims([both, both], [market('1'), market('2')], [won, split]);
    expect(claims.map(({ payout, winningOutcome }) => [payout, winningOutcome])).toEqual([
      ['7', 0],
      ['5', -1],
    ]);
  });

  it('are nothing for what was redeemed before in the same list', () => {
    const claims = expectClaims([{ indexSets: [1n, 1n] }, { indexSets: [1n] }], [market('1'), market('1')], [won, won]);
    expect(claims.map(({ payout }) => payout)).toEqual(['7', '0']);
  });

  it('are of each market of an event whose shares are redeemed', () => {
    const markets = eventFacts(['Ann', 'Ben', 'Cid']);
    const decidedBy = () => markets;
    const parts = byMarket([{ conditionId: markets[0]!.event!.id, indexSets: [0b001n, 0b110n, 0b011n] }], {
      decidedBy,
    });
    expect(parts.map(({ market, indexSets }) => [market.event?.index, indexSets])).toEqual([
      [0, [0b001n, 0b110n]],
      [2, [0b011n]],
    ]);
    const voided = { denominator: 3n, numerators: [1n, 2n], shares: [7n, 5n] } as const;
    const claims = expectClaims(
      parts,
      parts.map(({ market }) => market),
      [voided, voided],
    );
    expect(claims.map(({ payout, winningOutcome }) => [payout, winningOutcome])).toEqual([
      ['5', -1],
      ['3', -1],
    ]);
  });
});

describe('the book of relayed calls', () => {
  const record = (operationId: string, next: string): RelayRecord => ({
    kind: 'relayed',
    operationId,
    digest: 'd',
    operation: 'ctf-approval',
    owner: ann,
    gasLimit: '1',
    wallMs: 0,
    submittedAt: 0,
    nonces: [{ owner: ann, contract: token, next }],
  });
  const view = (operationId: string, stage: OperationView['stage'], hash: Hex): OperationView => ({
    operationId,
    stage,
    nonce: 0,
    hash,
    hashes: [hash],
    blockNumber: null,
    blockHash: null,
    reason: null,
    final: false,
  });

  it('answers a request with the current attempt, and names the next when it failed', () => {
    const views = new Map<string, OperationView>();
    const book = new RelayBook((id) => views.get(id));
    const put = (one: OperationView) => {
      views.set(one.operationId, one);
      book.follow(one);
    };
    expect(book.nextOperationId('d')).toBe('d#1');
    book.add(record('d#1', '4'));
    expect(book.current('d')).toBeUndefined();
    expect(book.nextOperationId('d')).toBe('d#1');
    put(view('d#1', 'submitted', '0x01'));
    expect(book.current('d')?.operationId).toBe('d#1');
    expect(book.nextNonce(token, ann)).toBe(4n);
    expect(book.nextNonce(token, ben)).toBeUndefined();
    put(view('d#1', 'failed', '0x01'));
    expect(book.current('d')).toBeUndefined();
    expect(book.nextNonce(token, ann)).toBeUndefined();
    expect(book.nextOperationId('d')).toBe('d#2');
    book.add(record('d#2', '4'));
    put(view('d#2', 'confirmed', '0x02'));
    expect(book.current('d')?.operationId).toBe('d#2');
    expect(book.byHash('0x01')?.operationId).toBe('d#1');
  });

  it('forgets a call with its hashes, also when the sender forgot it before', () => {
    const views = new Map<string, OperationView>();
    const book = new RelayBook((id) => views.get(id));
    const send = (operationId: string, hash: Hex) => {
      views.set(operationId, view(operationId, 'confirmed', hash));
      book.add(record(operationId, '4'));
    };
    send('d#1', '0x01');
    views.clear();
    for (let i = 0; i < RETAINED_OPERATIONS; i++) send(`e${i}#1`, `0x1${i}`);
    expect(book.record('d#1')).toBeUndefined();
    send('d#1', '0x02');
    expect(book.byHash('0x01')).toBeUndefined();
    expect(book.byHash('0x02')?.operationId).toBe('d#1');
  });
});
