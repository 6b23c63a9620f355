// Checks the chain against the journal when the world is quiet: every fill has ended, shares match, nonces have no gap,
// nothing happened twice.
import { createContracts } from '@presage/chain';
import { type Address, BUY, type MarketId, YES } from '@presage/protocol';
import { checkChain } from '../../packages/sdk/src/verify/chain-check.ts';
import { ChainReads } from '../../packages/sdk/src/verify/chain-reads.ts';
import { joinLedgers } from '../../packages/sdk/src/verify/joined-ledgers.ts';
import { toRpc } from '../world/sim-chain-template.ts';
import { eventsOf } from '../world/template-events.ts';
import type { World } from '../world/world.ts';
import { checkEventBacking, checkEventViews } from './check-events.ts';
import type { KeptPartition } from './kept-journal.ts';

export interface SettledParts {
  readonly world: World;
  readonly kept: readonly KeptPartition[];
  readonly traders: readonly Address[];
}

export async function* checkSettled(parts: SettledParts): AsyncGenerator<string> {
  const { world, kept } = parts;
  const { chainId, oracle } = world.template.deployment;
  const ledger = joinLedgers(kept.map(({ history }) => history.ledger));
  for (const { tradeId, marketId, stage } of ledger.trades()) {
    if (stage !== 'confirmed') yield `trade ${marketId.slice(0, 10)}/${tradeId} is still ${stage}`;
  }
  const chain = new ChainReads('http://chain', { fetch: toFetch(world) });
  const block = world.chain.head.number;
  const { markets } = ledger;
  const found = await checkChain({ chain, chainId, block, ledger, markets, oracle, isPartial: false });
  if (found.tradesAhead > 0) yield `${found.tradesAhead} fills are on chain and not so in the journal`;
  for (const marketId of found.drifting) yield `the collateral of ${marketId} drifts from the chain`;
  for (const partition of kept) yield* checkPositions(parts, partition);
  const ofEvents = { world, traders: parts.traders, events: eventsOf(markets) };
  yield* checkEventBacking(ofEvents, found.collateral);
  yield* checkEventViews(ofEvents);
  yield* checkSenders(parts);
}

/** Markets that a deep reorganization removed from the chain: their creation was mined again too late. */
export async function findGone({ chain, template, deepReorgMs }: World, kept: readonly KeptPartition[]) {
  const gone = new Set<MarketId>();
  if (deepReorgMs === undefined) return gone;
  const { settlement } = createContracts({ rpc: toRpc(chain), deployment: template.contracts });
  for (const { record } of kept.flatMap(({ records }) => records)) {
    if (record.type !== 'market-listed') continue;
    if ((await settlement.read('settlesUntil', [record.marketId])) === 0n) gone.add(record.marketId);
  }
  return gone;
}

/** Holdings of every wallet, from the journal alone. */
function positionsOf({ records, history }: KeptPartition): Map<string, bigint> {
  const positions = new Map<string, bigint>();
  const add = (wallet: Address, marketId: MarketId, outcome: number, amount: bigint) => {
    const key = `${wallet} ${marketId} ${outcome}`;
    positions.set(key, (positions.get(key) ?? 0n) + amount);
  };
  const settled = new Map([...history.ledger.trades()].map((trade) => [`${trade.marketId} ${trade.tradeId}`, trade]));
  const facts = new Map<string, () => void>();
  for (const { record } of records) {
    if (record.type === 'trade-matched') {
      const trade = settled.get(`${record.marketId} ${record.tradeId}`);
      if (trade === undefined) continue;
      const [buyer, seller] = record.takerSide === BUY ? [record.taker, record.maker] : [record.maker, record.taker];
      const [size, minted] = [BigInt(record.size), BigInt(trade.settlement?.minted ?? 0)];
      add(buyer, record.marketId, record.outcome, size);
      add(seller, record.marketId, record.outcome, minted - size);
      add(seller, record.marketId, 1 - record.outcome, minted);
    }
    if (record.type === 'shares-moved' || record.type === 'payout-redeemed') {
      const sign = record.type === 'shares-moved' ? 1n : -1n;
      const { userAddress, marketId, blockHash, txHash, logIndex, blockNumber } = record;
      // A conversion is one log about several markets.
      facts.set(`${blockNumber} ${blockHash} ${txHash} ${logIndex} ${userAddress} ${marketId}`, () => {
        add(userAddress, marketId, YES, sign * BigInt(record.yesShares));
        add(userAddress, marketId, 1, sign * BigInt(record.noShares));
      });
    }
    if (record.type === 'chain-rewound') {
      for (const key of facts.keys()) if (Number(key.split(' ')[0]) > record.toBlock) facts.delete(key);
    }
  }
  for (const apply of facts.values()) apply();
  return positions;
}

async function* checkPositions({ world, traders }: SettledParts, partition: KeptPartition): AsyncGenerator<string> {
  const contracts = createContracts({ rpc: toRpc(world.chain), deployment: world.template.contracts });
  const positions = positionsOf(partition);
  for (const { marketId, yesTokenId, noTokenId } of partition.history.ledger.markets) {
    const ids = [BigInt(yesTokenId), BigInt(noTokenId)];
    const owners = traders.flatMap((trader) => [trader, trader]);
    const held = await contracts.conditionalTokens.read('balanceOfBatch', [owners, traders.flatMap(() => ids)]);
    for (const [index, trader] of owners.entries()) {
      const known = positions.get(`${trader} ${marketId} ${index % 2}`) ?? 0n;
      if (known === held[index]) continue;
      yield `${trader} holds ${held[index]} of outcome ${index % 2} of ${marketId.slice(0, 10)}, the journal says ${known}`;
    }
  }
}

/**
 * Checks that no transaction is stuck, no nonce is missing, and no relayed call was mined after it already had its
 * effect. A call that reverted may be repeated, and so may one after a reorg. Returned fills are sent again; the
 * chain's own events prove that none settled twice.
 */
async function* checkSenders({ world }: SettledParts): AsyncGenerator<string> {
  const stuck = world.service?.actor?.stuckSenders() ?? [];
  if (stuck.length > 0) yield `senders wait for a nonce: ${stuck.join(', ')}`;
  if (world.reorgs > 0) return;
  const settlement = world.template.deployment.settlement.toLowerCase();
  const effective = new Set<string>();
  for (const record of world.chain.records) {
    if (record.type !== 'block' || record.block.transactions.length === 0) continue;
    const number = `0x${record.block.number.toString(16)}`;
    // Requested with its transactions.
    const block = (await world.chain.call('eth_getBlockByNumber', [number, true])) as Block;
    for (const { from, to, input, hash } of block.transactions) {
      if (!world.operators.has(from.toLowerCase()) || to === settlement) continue;
      const key = `${from} ${to} ${input}`;
      if (effective.has(key)) yield `the operator's call ${hash} was mined twice: ${to} ${input.slice(0, 10)}`;
      const { status } = (await world.chain.call('eth_getTransactionReceipt', [hash])) as Receipt;
      if (status === '0x1') effective.add(key);
    }
  }
}

interface Receipt {
  readonly status: '0x0' | '0x1';
}

interface Block {
  readonly transactions: readonly {
    readonly from: string;
    readonly to: string;
    readonly input: string;
    readonly hash: string;
  }[];
}

/** Sends requests directly to the chain. */
function toFetch(world: World): typeof fetch {
  return async (_url, init) => new Response(await world.chain.answer(String(init?.body)));
}
