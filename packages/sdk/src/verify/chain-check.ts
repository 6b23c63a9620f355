// Compares the journal with the chain: every settled trade must be there as it was matched, and every share must be
// backed.
import type { Bytes32, MarketFacts, MarketId } from '@presage/protocol';
import { ChainEvents, conditionOf, tokensOf } from './chain-events.ts';
import type { ChainReads } from './chain-reads.ts';
import { isOnChain, type Ledger, type LedgerTrade, type MarketSums, settlementKey } from './checks/ledger.ts';
import { Violation } from './checks/violation.ts';
import { checkRates } from './rates-check.ts';
import { type Fill, isFillOf } from './settled-fills.ts';

const PARTIES = ['buyer', 'seller'] as const;

interface ChainCheckOptions {
  readonly chain: ChainReads;
  readonly chainId: number;
  /** The last block to read. The journal was read after it was mined. */
  readonly block: number;
  readonly ledger: Pick<Ledger, 'trades' | 'sums' | 'isClosed'>;
  /** Markets of this chain. */
  readonly markets: readonly MarketFacts[];
  readonly oracle: string | null;
  /** Whether the operator withholds records whose effect the chain may already show. */
  readonly isPartial: boolean;
}

export interface ChainFindings {
  readonly chainId: number;
  readonly block: number;
  readonly tradesOnChain: number;
  /** Number of trades settled on chain whose settlement is not in the journal yet. */
  readonly tradesAhead: number;
  /** Collateral that the chain holds for the shares, per market or per event. */
  readonly collateral: ReadonlyMap<Bytes32, bigint>;
  /** Markets and events whose collateral differs between journal and chain, possibly only for now. */
  readonly drifting: readonly Bytes32[];
}

export async function checkChain(options: ChainCheckOptions): Promise<ChainFindings> {
  const { chain, block, ledger, markets } = options;
  const fromBlock = Math.min(block, ...markets.map(({ blockNumber }) => blockNumber));
  const { rates, fills, deposited, collateral } = await ChainEvents.read(chain, markets, { fromBlock, toBlock: block });
  checkRates(rates, { markets, toBlock: block, isUnused: toUnused(ledger) });
  const { matched, ahead } = checkFills(options, fills);
  const conditions = new Map(markets.map((facts) => [facts.marketId, conditionOf(facts)]));
  const sums = ledger.sums().filter(({ marketId }) => conditions.has(marketId));
  for (const [token, stablecoin] of tokensOf(markets)) {
    const held = await chain.balanceOf(stablecoin, token, block);
    const backed = new Set(markets.filter(({ conditionalTokens }) => conditionalTokens === token).map(conditionOf));
    const owed = [...backed].reduce((sum, id) => sum + (collateral.get(id) ?? 0n), 0n);
    if (held < owed) throw new Violation('shares_unbacked', `${token} holds ${held}, its pairs are worth ${owed}`);
  }
  await checkDeposits(options, deposited);
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

/**
 * Whether a market is closed and none of its trades has settled: a deep reorganization may have removed it from the
 * chain.
 */
function toUnused(ledger: ChainCheckOptions['ledger']): (marketId: MarketId) => boolean {
  const used = new Set<MarketId>();
  for (const trade of ledger.trades()) if (isOnChain(trade)) used.add(trade.marketId);
  return (marketId) => ledger.isClosed(marketId) && !used.has(marketId);
}

function checkFills({ ledger, markets, block, isPartial }: ChainCheckOptions, fills: Map<string, Fill[]>) {
  let matched = 0;
  const open: LedgerTrade[] = [];
  const isHere = new Set(markets.map(({ marketId }) => marketId));
  for (const trade of ledger.trades()) {
    if (!isHere.has(trade.marketId)) continue;
    if (takeFill(fills, trade, block)) matched++;
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

/**
 * Takes the fill of the trade from the chain's, if it is there as it was matched; throws if that of a confirmed trade
 * is missing.
 */
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

/** Takes the open trade of a fill whose settlement the journal does not know yet. */
function takeOpen(open: LedgerTrade[], fill: Fill): boolean {
  const orders = fill.key.slice(fill.key.indexOf(' '));
  const at = open.findIndex((trade) => settlementKey('0x', trade).endsWith(orders) && isFillOf(fill, trade));
  if (at < 0) return false;
  open.splice(at, 1);
  return true;
}

/** Checks that the settlement contract holds the deposits of traders. */
async function checkDeposits(
  { chain, markets, block }: ChainCheckOptions,
  deposits: ReadonlyMap<string, bigint>,
): Promise<void> {
  const places = new Map(markets.map(({ settlementAddress, stablecoin }) => [settlementAddress, stablecoin]));
  for (const [address, stablecoin] of places) {
    const deposited = deposits.get(address) ?? 0n;
    if (deposited === 0n) continue;
    const held = await chain.balanceOf(stablecoin, address, block);
    if (held < deposited) {
      throw new Violation('deposits_unbacked', `${address} holds ${held}, traders have deposited ${deposited}`);
    }
  }
}

async function checkBonds({ chain, block, markets, oracle }: ChainCheckOptions, sums: readonly MarketSums[]) {
  const bonds = sums.reduce((sum, each) => sum + each.bonds, 0n);
  const stablecoin = markets[0]?.stablecoin;
  if (bonds === 0n || oracle === null || stablecoin === undefined) return;
  const held = await chain.balanceOf(stablecoin, oracle, block);
  if (held < bonds) throw new Violation('bond_missing', `the oracle holds ${held}, ${bonds} are at stake`);
}
