// A position that is read from the chain: no trade is in its balances and pending at the same time.
import { Engine } from '@presage/engine';
import type { Hex } from '@presage/protocol';
import { createOrderBuilders, ManualClock, marketFacts, TEST_MARKET, TRADERS } from '@presage/testkit';
import { expect, it, vi } from 'vitest';
import type { ChainContext } from '../../src/chains/chain-context.ts';
import { ChainReads } from '../../src/chains/chain-reads.ts';
import { PositionSync } from '../../src/wallets/position-sync.ts';

const { alice } = TRADERS;
const BLOCK = 7;

/** Alice has bought ten of Bob in two trades of one order, which were sent. */
function openSync({ filledOnChain }: { readonly filledOnChain: bigint }) {
  const clock = new ManualClock();
  const traders = createOrderBuilders(clock);
  const engine = new Engine();
  let seq = 1;
  const apply = (command: Parameters<Engine['apply']>[0]) => {
    const outputs = engine.apply(command, seq);
    seq += outputs.length;
  };
  const facts = marketFacts();
  apply({ type: 'list-market', timeMs: clock.nowMs, market: facts });
  apply(traders.bobSellsYes({ price: '0.5', size: '4' }));
  apply(traders.bobSellsYes({ price: '0.5', size: '6' }));
  apply(traders.aliceBuysYes({ price: '0.5', size: '10' }));
  const trades = engine.unsettledTrades();
  const move = (stage: 'submitted' | 'mined', blockNumber: number, moved = trades) => {
    for (const { marketId, tradeId } of moved) {
      const settlement = { transactionHash: TEST_MARKET, batchIndex: 0, isBatch: true, attempt: 0, blockNumber };
      apply({ type: 'move-trade', timeMs: clock.nowMs, marketId, tradeId, stage, settlement });
    }
  };
  move('submitted', 0);
  const reading = (name: string) => ({ name });
  const readTogether = vi.fn(async (reads: readonly object[], _at: object) => reads.map(() => filledOnChain));
  const noted = vi.fn(async () => undefined);
  const chain: { head: Hex; followed: Hex | undefined } = { head: '0x07', followed: '0x07' };
  const context = {
    reads: new ChainReads(engine, facts.chainId),
    node: { head: async () => ({ number: BLOCK, hash: chain.head }) },
    contracts: { readingShares: () => reading('shares'), settlement: { reading }, readTogether },
    note: noted,
    clock: { nowMs: () => clock.nowMs },
    // Nothing else of a chain is asked for.
  } as unknown as ChainContext;
  const saveFollowed = vi.fn(async () => undefined);
  const sync = new PositionSync(context, { hashOf: () => chain.followed, wake: () => undefined, saveFollowed });
  return { sync: () => sync.sync(facts, alice), noted, move, trades, chain, readTogether, saveFollowed };
}

const ALL = 10_000_000n;

it('waits until trades that the balances contain are followed', async () => {
  const { sync, noted, move } = openSync({ filledOnChain: ALL });
  const synced = sync();
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect(noted).not.toHaveBeenCalled();
  move('mined', BLOCK);
  expect(await synced).toMatchObject({ blockNumber: BLOCK, yesShares: ALL });
  expect(noted).toHaveBeenCalledOnce();
});

it('does not wait for trades that come in a later block', async () => {
  const { sync, noted, move } = openSync({ filledOnChain: 0n });
  move('mined', BLOCK + 1);
  expect(await sync()).toMatchObject({ blockNumber: BLOCK, yesShares: 0n });
  expect(noted).toHaveBeenCalledOnce();
});

it('does not wait for a trade that failed in the same block as another of its order settled', async () => {
  const { sync, noted, move, trades } = openSync({ filledOnChain: 6_000_000n });
  move('mined', BLOCK, trades.slice(1));
  await sync();
  expect(noted).toHaveBeenCalledOnce();
});

it('notes nothing of a block before it is followed', async () => {
  const { sync, noted, move, chain } = openSync({ filledOnChain: ALL });
  move('mined', BLOCK);
  chain.followed = undefined;
  const synced = sync();
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect(noted).not.toHaveBeenCalled();
  chain.followed = '0x07';
  expect(await synced).toMatchObject({ blockNumber: BLOCK, yesShares: ALL });
});

it('reads anew what it read at a block that was replaced', async () => {
  const { sync, noted, move, chain, readTogether } = openSync({ filledOnChain: ALL });
  move('mined', BLOCK);
  chain.followed = undefined;
  const synced = sync();
  await vi.waitFor(() => expect(readTogether).toHaveBeenCalledOnce());
  readTogether.mockImplementation(async (reads) => reads.map((_, at) => (at < 2 ? 0n : ALL)));
  chain.head = '0x70';
  chain.followed = '0x70';
  expect(await synced).toMatchObject({ blockNumber: BLOCK, yesShares: 0n });
  expect(readTogether).toHaveBeenLastCalledWith(expect.anything(), { block: { hash: '0x70' } });
  expect(noted).toHaveBeenCalledOnce();
});

it('notes nothing of a block that leaves the chain while its hash is saved for a restart', async () => {
  const { sync, noted, move, chain, saveFollowed } = openSync({ filledOnChain: ALL });
  move('mined', BLOCK);
  saveFollowed.mockImplementationOnce(async () => {
    expect(noted).not.toHaveBeenCalled();
    chain.followed = undefined;
  });
  const synced = sync();
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect(noted).not.toHaveBeenCalled();
  chain.followed = '0x07';
  expect(await synced).toMatchObject({ blockNumber: BLOCK });
});
