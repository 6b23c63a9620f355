// The journal against the chain: every settled trade is there as it was matched, and every share is paid for.
import { type Bytes32, fullIndexSet, type MarketFacts, type MarketId, toLowerHex } from '@presage/protocol';
import type { BlockSpan, ChainReads } from './chain-reads.ts';
import { isOnChain, type Ledger, type LedgerTrade, type MarketSums, settlementKey } from './checks/ledger.ts';
import { Violation } from './checks/violation.ts';
import { topicOf } from './event-topic.ts';
import { checkRates } from './rates-check.ts';
import { amountsIn, depositedBy, type Fill, isFillOf, toFill, toFills, wordOf } from './settled-fills.ts';

const TOPICS = {
  /** Contracts of version 2 tell every fill in an event of its own. */
  fill: topicOf('FillSettled(bytes32,bytes32,uint256)'),
  fills: topicOf('FillsSettled(bytes32[])'),
  deposit: topicOf('Deposited(address,address,uint256)'),
  withdrawal: topicOf('Withdrawn(address,address,uint256)'),
  split: topicOf('PositionSplit(address,address,bytes32,bytes32,uint256[],uint256)'),
  merge: topicOf('PositionsMerge(address,address,bytes32,bytes32,uint256[],uint256)'),
  redemption: topicOf('PayoutRedemption(address,address,bytes32,bytes32,uint256[],uint256)'),
  conversion: topicOf('PositionsConverted(address,bytes32,uint256,uint256,uint256)'),
};

const PARTIES = ['buyer', 'seller'] as const;

interface ChainCheckOptions {
  readonly chain: ChainReads;
  readonly chainId: number;
  /** The last one to look at. The journal was read after it was mined. */
  readonly block: number;
  readonly ledger: Pick<Ledger, 'trades' | 'sums' | 'isClosed'>;
  /** Markets of this chain. */
  readonly markets: readonly MarketFacts[];
  readonly oracle: string | null;
  /** Whether the operator holds back records that the chain may already show the effect of. */
  readonly isPartial: boolean;
}

export interface ChainFindings {
  readonly chainId: number;
  readonly block: number;
  readonly tradesOnChain: number;
  /** Settled on chain and not yet so in the journal. */
  readonly tradesAhead: number;
  /** Per market, or per event: what the chain holds for its shares. */
  readonly collateral: ReadonlyMap<Bytes32, bigint>;
  /** Markets and events whose collateral in the journal is not (yet) that of the chain. */
  readonly drifting: readonly Bytes32[];
}

export async function checkChain(options: ChainCheckOptions): Promise<ChainFindings> {
  const { chain, block, ledger, markets } = options;
  const fromBlock = Math.min(block, ...markets.map(({ blockNumber }) => blockNumber));
  const span = { fromBlock, toBlock: block };
  await checkRates(chain, { markets, ...span, isUnused: toUnused(ledger) });
  const { matched, ahead } = await checkFills(options, span);
  const collateral = await readCollateral(chain, markets, span);
  const conditions = new Map(markets.map((facts) => [facts.marketId, conditionOf(facts)]));
  const sums = ledger.sums().filter(({ marketId }) => conditions.has(marketId));
  for (const [token, stablecoin] of tokensOf(markets)) {
    const held = await chain.balanceOf(stablecoin, token, block);
    const backed = new Set(markets.filter(({ conditionalTokens }) => conditionalTokens === token).map(conditionOf));
    const owed = [...backed].reduce((sum, id) => sum + (collateral.get(id) ?? 0n), 0n);
    if (held < owed) throw new Violation('shares_unbacked', `${token} holds ${held}, its pairs are worth ${owed}`);
  }
  await checkDeposits(options, span);
  await checkBonds(options, sums);
  const counted = new Map<Bytes32, bigint>();
  for (const { marketId, collateral: held } of sums) {
    const id = conditions.get(marketId) ?? marketId;
    counted.set(id, (counted.get(id) ?? 0n) + held);
  }
  const drifting = [...counted].filter(([id, held]) => held !== (collateral.get(id) ?? 0n));
  return {
    chainId: options.chainId,
    block,
    tradesOnChain: matched,
    tradesAhead: ahead,
    collateral,
    drifting: drifting.map(([id]) => id),
  };
}

/** Whether a market is over and no trade of it has settled: a deep reorganization may have removed it from the chain. */
function toUnused(ledger: ChainCheckOptions['ledger']): (marketId: MarketId) => boolean {
  const used = new Set<MarketId>();
  for (const trade of ledger.trades()) if (isOnChain(trade)) used.add(trade.marketId);
  return (marketId) => ledger.isClosed(marketId) && !used.has(marketId);
}

async function checkFills({ chain, ledger, markets, isPartial }: ChainCheckOptions, span: BlockSpan) {
  const fills = new Map<string, Fill[]>();
  for (const address of new Set(markets.map(({ settlementAddress }) => settlementAddress))) {
    const add = (fill: Fill) => fills.set(fill.key, [...(fills.get(fill.key) ?? []), fill]);
    for await (const log of chain.logs({ address, topic: TOPICS.fill, ...span })) add(toFill(log));
    for await (const log of chain.logs({ address, topic: TOPICS.fills, ...span })) toFills(log).forEach(add);
  }
  let matched = 0;
  const open: LedgerTrade[] = [];
  const isHere = new Set(markets.map(({ marketId }) => marketId));
  for (const trade of ledger.trades()) {
    if (!isHere.has(trade.marketId)) continue;
    if (takeFill(fills, trade, span.toBlock)) matched++;
    else open.push(trade);
  }
  const unexplained = [...fills.values()].flat().filter((fill) => !takeOpen(open, fill));
  const [first] = unexplained;
  if (first !== undefined && !isPartial) {
    const { key, price, size } = first;
    throw new Violation('settled_not_in_journal', `${size} at ${price} in ${key}`);
  }
  return { matched, ahead: [...fills.values()].flat().length };
}

/** Whether the chain has the trade as it was matched; a confirmed one must be there. */
function takeFill(fills: Map<string, Fill[]>, trade: LedgerTrade, toBlock: number): boolean {
  const { settlement, price, size, stage, seq } = trade;
  if (!isOnChain(trade) || settlement === undefined) return false;
  const key = settlementKey(settlement.transactionHash, trade);
  const found = fills.get(key) ?? [];
  const at = found.findIndex((fill) => isFillOf(fill, trade));
  if (at >= 0) {
    found.splice(at, 1);
    return true;
  }
  if (stage !== 'confirmed' || (settlement.blockNumber ?? 0) > toBlock) return false;
  const [other] = found;
  if (other === undefined) {
    throw new Violation('settled_not_on_chain', `trade ${trade.tradeId} in ${settlement.transactionHash}`, seq);
  }
  const matched = `${size} at ${price} matched, taken by the ${PARTIES[trade.takerSide]}`;
  const settled = `${other.size} at ${other.price} settled, charged to the ${PARTIES[other.payer ?? trade.takerSide]}`;
  const detail = `trade ${trade.tradeId}: ${matched}; ${settled}`;
  throw new Violation('settled_differs', detail, seq);
}

/** A fill of a trade whose settlement the journal does not know yet. */
function takeOpen(open: LedgerTrade[], fill: Fill): boolean {
  const orders = fill.key.slice(fill.key.indexOf(' '));
  const at = open.findIndex((trade) => settlementKey('0x', trade).endsWith(orders) && isFillOf(fill, trade));
  if (at < 0) return false;
  open.splice(at, 1);
  return true;
}

/** What traders have deposited lies in the settlement contract: paid in, less taken out, less what fills took, with what they paid into it. */
async function checkDeposits({ chain, markets, block }: ChainCheckOptions, span: BlockSpan): Promise<void> {
  const places = new Map(markets.map(({ settlementAddress, stablecoin }) => [settlementAddress, stablecoin]));
  for (const [address, stablecoin] of places) {
    let deposited = 0n;
    for await (const { data } of chain.logs({ address, topic: TOPICS.deposit, ...span })) deposited += BigInt(data);
    if (deposited === 0n) continue;
    for await (const { data } of chain.logs({ address, topic: TOPICS.withdrawal, ...span })) deposited -= BigInt(data);
    for await (const { data } of chain.logs({ address, topic: TOPICS.fills, ...span })) {
      deposited += amountsIn(data).reduce((sum, amounts) => sum + depositedBy(amounts), 0n);
    }
    const held = await chain.balanceOf(stablecoin, address, block);
    if (held < deposited) {
      throw new Violation('deposits_unbacked', `${address} holds ${held}, traders have deposited ${deposited}`);
    }
  }
}

/** What every condition holds: a market's own, or the event's, which all its markets share. */
async function readCollateral(chain: ChainReads, markets: readonly MarketFacts[], span: BlockSpan) {
  const collateral = new Map<Bytes32, bigint>(markets.map((facts) => [conditionOf(facts), 0n]));
  const factsOf = new Map(markets.map((facts) => [conditionOf(facts), facts]));
  /** Other tokens may be collateral of the same condition, and so may positions on other conditions. */
  const add = ({ condition, token, parent }: Divided, amount: bigint, parts?: bigint) => {
    const conditionId = toLowerHex(condition);
    const facts = factsOf.get(conditionId);
    if (facts === undefined || BigInt(parent) !== 0n || BigInt(facts.stablecoin) !== BigInt(token)) return;
    // Shares that are split into others of the event, or merged into them, move no collateral.
    if (parts !== undefined && parts !== fullIndexSet(facts.event?.count ?? 2)) return;
    collateral.set(conditionId, (collateral.get(conditionId) ?? 0n) + amount);
  };
  for (const [address, stablecoin] of tokensOf(markets)) {
    for await (const log of chain.logs({ address, topic: TOPICS.split, ...span })) {
      add(toDivided(log), wordOf(log.data, 2), unionOf(log.data));
    }
    for await (const log of chain.logs({ address, topic: TOPICS.merge, ...span })) {
      add(toDivided(log), -wordOf(log.data, 2), unionOf(log.data));
    }
    for await (const { topics, data } of chain.logs({ address, topic: TOPICS.redemption, ...span })) {
      const divided = { condition: `0x${data.slice(2, 66)}`, token: topics[2]!, parent: topics[3]! };
      add(divided, -wordOf(data, 2));
    }
    for await (const { topics, data } of chain.logs({ address, topic: TOPICS.conversion, ...span })) {
      add({ condition: topics[2]!, token: stablecoin, parent: '0x0' }, -wordOf(data, 2));
    }
  }
  return collateral;
}

/** What a split, a merge or a redemption was of: with another parent than zero, of positions on other conditions. */
interface Divided {
  readonly condition: string;
  readonly token: string;
  readonly parent: string;
}

function toDivided({ topics, data }: { readonly topics: readonly string[]; readonly data: string }): Divided {
  return { condition: topics[3]!, parent: topics[2]!, token: data.slice(0, 66) };
}

/** All outcomes that the partition of a split or a merge names. */
function unionOf(data: string): bigint {
  const parts = Array.from({ length: Number(wordOf(data, 3)) }, (_, part) => wordOf(data, 4 + part));
  return parts.reduce((union, part) => union | part, 0n);
}

function conditionOf({ event, marketId }: MarketFacts): Bytes32 {
  return event?.id ?? marketId;
}

async function checkBonds({ chain, block, markets, oracle }: ChainCheckOptions, sums: readonly MarketSums[]) {
  const bonds = sums.reduce((sum, each) => sum + each.bonds, 0n);
  const stablecoin = markets[0]?.stablecoin;
  if (bonds === 0n || oracle === null || stablecoin === undefined) return;
  const held = await chain.balanceOf(stablecoin, oracle, block);
  if (held < bonds) throw new Violation('bond_missing', `the oracle holds ${held}, ${bonds} are at stake`);
}

function tokensOf(markets: readonly MarketFacts[]): Map<string, string> {
  return new Map(markets.map(({ conditionalTokens, stablecoin }) => [conditionalTokens, stablecoin]));
}
