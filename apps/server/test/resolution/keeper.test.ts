// The keeper on real contracts: a market whose disputed proposal nobody settled ends all the same.
import { callContract, createContracts, type OperationView, type TransactionRequest } from '@presage/chain';
import type { MarketView } from '@presage/engine';
import { toLowerHex } from '@presage/protocol';
import { waitFor } from '@presage/testkit';
import { afterEach, expect, it, vi } from 'vitest';
import { testAccount } from '../../../../contracts/test/in-process-chain.ts';
import { ResolutionWorld } from '../../../../contracts/test/resolution-world.ts';
import { Keeper } from '../../src/resolution/keeper.ts';
import { createContext } from '../chain-context.ts';
import { toRpc } from '../in-process-rpc.ts';

const DAY_SECONDS = 86_400n;
const VOID_DELAY = 30n * DAY_SECONDS;
const EXPIRED = 1;
const RESOLVED = 4;

let keeper: Keeper | undefined;
afterEach(() => keeper?.close());

/** Sends at once what would not revert, as the sender does that estimates the gas. */
function openSender(stage: ResolutionWorld) {
  const account = testAccount(7);
  const rpc = toRpc(stage.world.chain);
  const views = new Map<string, OperationView>();
  return {
    enqueue: async ({ operationId, to, data = '0x' }: TransactionRequest) => {
      await callContract(rpc, { to, data, from: account.address });
      await stage.world.chain.mustSend(account, { to, data });
      const view = { operationId, stage: 'confirmed' } as OperationView;
      views.set(operationId, view);
      return view;
    },
    status: (operationId: string) => views.get(operationId),
  };
}

it('settles a rejected proposal that nobody settled, and voids the market when its time has come', async () => {
  const stage = await ResolutionWorld.open('ours');
  const { world } = stage;
  await stage.openExpiredMarket();
  const expiration = Number(await world.chain.now());
  const id = await stage.propose(true, 'proposer');
  await stage.dispute(id);
  const { settlement, shares: conditionalTokens, collateral: stablecoin, factory: marketFactory, oracle } = world;
  const deployment = { settlement, conditionalTokens, stablecoin, marketFactory, oracle, multicall: settlement };
  const facts = { marketId: world.marketId, kind: 'standard', contractAddress: toLowerHex(world.market), expiration };
  let resolution: object = { status: 'disputed', round: 1, history: [], assertion: { id } };
  // No arbitrator decides: after ten days both bonds return, once somebody settles.
  await world.chain.advance(VOID_DELAY + DAY_SECONDS);
  let now = Number(await world.chain.now());
  const context = createContext({
    contracts: createContracts({ rpc: toRpc(world.chain), deployment }),
    reads: { activeMarkets: () => [{ facts, resolution } as unknown as MarketView] },
    clock: { nowSeconds: () => now },
  });
  keeper = new Keeper(context, openSender(stage));
  keeper.start();
  await waitFor('the proposal is settled', async () => (await stage.status()) === EXPIRED, { timeoutMs: 20_000 });
  resolution = { status: 'expired', round: 1, history: [{ id }] };
  await world.chain.advance(VOID_DELAY + DAY_SECONDS);
  now = Number(await world.chain.now());
  await waitFor('the market is void', async () => (await stage.status()) === RESOLVED, { timeoutMs: 20_000 });
  expect(await stage.payouts()).toEqual([1n, 1n, 2n]);
});

it('tries one settlement at a time while the chain hangs, and no other one after the close', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] });
  const resolution = { status: 'proposed', assertion: { id: '0xa1', expirationTime: 0 } };
  const markets = ['0x01', '0x02'].map((marketId) => ({ facts: { marketId }, resolution }) as unknown as MarketView);
  const context = createContext({
    reads: { activeMarkets: () => markets, market: () => markets[0] },
    contracts: { market: () => ({ call: () => ({}) }) },
    clock: { nowSeconds: () => 100 },
  });
  let [asked, answer] = [0, () => {}];
  const hanging = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const enqueue = async () => {
    asked++;
    await hanging;
    throw new Error('no answer');
  };
  const asking = new Keeper(context, { enqueue, status: () => undefined });
  asking.start();
  await vi.advanceTimersByTimeAsync(60_000);
  const closed = asking.close();
  vi.useRealTimers();
  answer();
  await closed;
  expect(asked).toBe(1);
});
