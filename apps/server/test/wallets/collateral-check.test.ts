// Which wallets are watched: those that can pay for what they ask, and nobody that is merely asked about.
import { Engine } from '@presage/engine';
import { type Address, asHex, PresageError } from '@presage/protocol';
import { createOrderBuilders, marketFacts, TEST_MARKET } from '@presage/testkit';
import { beforeEach, expect, it } from 'vitest';
import { ChainReads } from '../../src/chains/chain-reads.ts';
import { CollateralCheck } from '../../src/wallets/collateral-check.ts';
import { KnownWallets } from '../../src/wallets/known-wallets.ts';
import type { Wallet } from '../../src/wallets/wallet.ts';
import { createContext } from '../chain-context.ts';

const CHAIN_ID = 31337;
const FIVE = 5_001_000n;

let balance: bigint;
let isReachable: boolean;
let known: KnownWallets;
let check: CollateralCheck;
let engine: Engine;
const judgements: string[] = [];
const traders = createOrderBuilders();
const order = traders.aliceBuysYes({ marketId: TEST_MARKET, price: '0.5', size: '10' });
const larger = traders.aliceBuysYes({ marketId: TEST_MARKET, price: '0.5', size: '20' });
const { trader } = order.order;

beforeEach(() => {
  balance = 0n;
  isReachable = true;
  const contracts = { stablecoin: addressOf('1'), conditionalTokens: addressOf('2'), settlement: addressOf('3') };
  engine = new Engine();
  const reads = new ChainReads(engine, CHAIN_ID);
  const context = createContext({ chain: { chainId: CHAIN_ID, collateralCheck: 'enforce', contracts }, reads });
  judgements.length = 0;
  const keeper = { judge: () => void judgements.push('at once'), close: async () => undefined };
  const watch = {
    judgeAll: () => void judgements.push(`${known.addresses()} together`),
    start: async () => undefined,
    close: async () => undefined,
  };
  known = new KnownWallets({ reads, wallMs: () => 0, keeper });
  const parts = { wallets: known, readings: { read }, keeper, watch, relays: { pendingAllowance: () => 0n } };
  check = new CollateralCheck(context, parts as never);
});

function addressOf(digit: string): Address {
  return asHex(`0x${digit.repeat(40)}`);
}

async function read(wallet: Wallet): Promise<void> {
  await new Promise(setImmediate);
  if (!isReachable) throw new PresageError('chain_unavailable');
  const figures = { balance, allowance: balance, deposited: 0n, sharesApproved: false, blockNumber: 1 };
  wallet.setHoldings({ ...figures, lostAllowance: 0n, shares: new Map(), contained: new Set() });
}

it('a wallet is watched once it can pay for its order, and not for one that is refused', async () => {
  expect(await check.check(order)).toMatchObject({ code: 'insufficient_balance' });
  expect(known.addresses()).toEqual([]);
  balance = FIVE;
  expect(await check.check(order)).toBeUndefined();
  expect(known.addresses()).toEqual([trader]);
  expect(await check.check(larger)).toMatchObject({ code: 'insufficient_balance' });
  expect(known.get(trader)?.reserved()).toBe(FIVE);
});

it('an order that is refused leaves alone what another reserves that was asked for in the same moment', async () => {
  balance = FIVE;
  const [refused, admitted] = await Promise.all([check.check(larger), check.check(order)]);
  expect([refused?.code, admitted]).toEqual(['insufficient_balance', undefined]);
  expect(known.get(trader)?.reserved()).toBe(FIVE);
});

it('an examined order has its wallet watched if the wallet signed it and can pay', async () => {
  balance = FIVE;
  expect(await check.assess(order, false)).toMatchObject({ funds: { covered: true }, fault: undefined });
  expect(known.addresses()).toEqual([]);
  expect(await check.assess(larger, true)).toMatchObject({ fault: { code: 'insufficient_balance' } });
  expect(known.addresses()).toEqual([]);
  expect(await check.assess(order, true)).toMatchObject({ funds: { covered: true }, fault: undefined });
  expect(known.addresses()).toEqual([trader]);
});

it('what is known of a wallet is kept while the chain is unreachable', async () => {
  isReachable = false;
  expect(await check.check(order)).toMatchObject({ code: 'chain_unavailable' });
  expect(known.addresses()).toEqual([]);
  isReachable = true;
  balance = FIVE;
  await check.assess(order, true);
  isReachable = false;
  expect(await check.check(larger)).toMatchObject({ code: 'insufficient_balance' });
  expect(await check.check(order)).toBeUndefined();
});

it('wallets with open orders are not judged at a start before settlement knows what left the chain meanwhile', async () => {
  engine.apply({ type: 'list-market', timeMs: 1, market: marketFacts({ chainId: CHAIN_ID }) });
  engine.apply(order);
  check.start();
  expect(judgements).toEqual([`${trader} together`]);
  await check.close();
});
