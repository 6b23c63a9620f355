// An order that its trader cancelled on chain while it was filled leaves the book when a failed fill brings it back.
import { Engine } from '@presage/engine';
import type { EngineCommand, MarketId, OrderHash } from '@presage/protocol';
import { isJournalled } from '@presage/protocol';
import { createOrderBuilders, ManualClock, marketFacts, TEST_MARKET, waitFor } from '@presage/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { ChainReads } from '../../src/chains/chain-reads.ts';
import { RestoredOrders } from '../../src/indexer/restored-orders.ts';
import { createContext } from '../chain-context.ts';

interface Asked {
  readonly name: string;
  readonly args: readonly [trader: string, marketId: string, nonce: bigint];
}

interface AskedAt {
  readonly block: { readonly hash: string };
}

/** Alice's bid was filled by Bob, and cancelled on chain or not; then the fill fails by his fault. */
function openRestored({ isKilled = false } = {}) {
  const engine = new Engine();
  const clock = new ManualClock();
  const traders = createOrderBuilders(clock);
  const facts = marketFacts();
  const chain = { answer: async (_: readonly Asked[], _block: string): Promise<bigint[]> => [0n] };
  let heads = 0;
  const context = createContext({
    chain: { chainId: facts.chainId },
    reads: new ChainReads(engine, facts.chainId),
    node: { head: async () => ({ hash: `0x${++heads}` }) },
    contracts: {
      settlement: { reading: (name: string, args: Asked['args']): Asked => ({ name, args }) },
      readTogether: (questions: readonly Asked[], { block }: AskedAt) => chain.answer(questions, block.hash),
    },
    commands: {
      cancelOnChain: async (marketId: MarketId, orderHash: OrderHash) =>
        apply({ type: 'cancel-order', timeMs: clock.nowMs, marketId, orderHash, reason: 'cancelled_on_chain' }),
    },
    pollMs: 1,
  });
  const restored = new RestoredOrders(context);
  onTestFinished(() => restored.close());
  const apply = (command: EngineCommand) => {
    for (const event of engine.apply(command)) if (isJournalled(event) && !isKilled) restored.follow(event);
  };
  apply({ type: 'list-market', timeMs: clock.nowMs, market: facts });
  const bid = traders.aliceBuysYes({ price: '0.5', size: '10' });
  apply(bid);
  apply(traders.bobSellsYes({ price: '0.5', size: '10' }));
  const fail = () => {
    const [trade] = engine.unsettledTrades();
    const blame = { faultParty: 'seller', reason: 'seller has not approved' } as const;
    const { marketId, tradeId } = trade!;
    apply({ type: 'fail-trade', timeMs: clock.nowMs, marketId, tradeId, ...blame });
    expect(status()).toBe('open');
  };
  const status = () => engine.order(bid.orderHash)?.status;
  const start = () => restored.checkAll(engine.openOrders());
  const bidOften = (count: number) => {
    for (let index = 0; index < count; index++) apply(traders.aliceBuysYes({ price: '0.4', size: '10' }));
  };
  return { bid, chain, fail, status, start, bidOften };
}

it('is cancelled', async () => {
  const { bid, chain, fail, status } = openRestored();
  chain.answer = async (questions) => {
    const { trader, nonce } = bid.order;
    expect(questions).toEqual([{ name: 'cancelEffectiveAfter', args: [trader, TEST_MARKET, nonce] }]);
    return [900n];
  };
  fail();
  await waitFor('the order is cancelled', () => status() === 'cancelled', { timeoutMs: 5_000 });
});

it('is asked about again where the chain does not answer', async () => {
  const { chain, fail, status } = openRestored();
  let failures = 2;
  chain.answer = async () => {
    if (failures-- > 0) throw new Error('the node is away');
    return [900n];
  };
  fail();
  await waitFor('the order is cancelled', () => status() === 'cancelled', { timeoutMs: 5_000 });
});

it('is asked about at the next start where a kill came before the answer', async () => {
  const { chain, fail, status, start } = openRestored({ isKilled: true });
  chain.answer = async () => [900n];
  fail();
  start();
  await waitFor('the order is cancelled', () => status() === 'cancelled', { timeoutMs: 5_000 });
});

it('stays where it was not cancelled', async () => {
  const { chain, fail, status } = openRestored();
  const asked = new Promise<void>((resolve) => {
    chain.answer = async () => {
      resolve();
      return [0n];
    };
  });
  fail();
  await asked;
  await new Promise((resolve) => setImmediate(resolve));
  expect(status()).toBe('open');
});

it('is asked about at a newer block where there are many: a node soon forgets the state of an old one', async () => {
  const { chain, start, bidOften } = openRestored();
  bidOften(4_001);
  const asked: [count: number, block: string][] = [];
  chain.answer = async (questions, block) => {
    asked.push([questions.length, block]);
    return questions.map(() => 0n);
  };
  start();
  await waitFor('all are asked about', () => asked.length === 3, { timeoutMs: 5_000 });
  expect(asked).toEqual([
    [2_000, '0x1'],
    [2_000, '0x2'],
    [1, '0x3'],
  ]);
});
