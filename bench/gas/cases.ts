// The measured gas cases, each on a fresh chain: the traders, and what they hold beforehand.
import type { PrivateKeyAccount } from 'viem/accounts';
import { presageSettlementAbi } from '../../contracts/generated/abi.ts';
import { failuresOf, settledOf } from '../../contracts/test/answers.ts';
import { toDearStablecoin } from '../../contracts/test/guarded-stablecoin.ts';
import { type Fill, type SignedOrder, World } from '../../contracts/test/world.ts';

export interface GasCase {
  readonly title: string;
  readonly buyers: number;
  readonly sellers: number;
  /** Whether each seller holds the shares; otherwise every sale mints. */
  readonly sellersHoldShares: boolean;
  /** Index of a maker who revoked their approvals. */
  readonly badSeller?: number;
  /** A stablecoin that costs as much as USDC, instead of a plain one. */
  readonly isDear?: boolean;
  /** Who has deposited: the makers (the sellers if both sides are as many), or everybody. */
  readonly ledger?: 'makers' | 'everybody' | undefined;
  /** The market charges takers 2 %, of which makers get a quarter. */
  readonly hasFee?: boolean;
  /** The market is that of the first outcome of an event with this many. */
  readonly outcomes?: number;
}

export interface GasResult {
  /** Whole-transaction gas per fill on the first use of the traders' order slots. */
  readonly firstNonce: number;
  /** The same for later nonces in these slots. */
  readonly nextNonces: number;
  /** Mean over the nonces of a slot: the cost for a trader who counts upward. */
  readonly mean: number;
  readonly settled: number;
  readonly failed: number;
}

const price = 550_000n;
const size = 10_000_000n;
const plenty = 10_000_000_000n;
const noncesInASlot = 8;

export async function measure(gasCase: GasCase): Promise<GasResult> {
  const world = await World.open({
    ...(gasCase.isDear && { stablecoin: toDearStablecoin() }),
    ...(gasCase.hasFee && { fees: { feeRateBps: 200, makerShareBps: 2_500 } }),
  });
  if (gasCase.outcomes !== undefined) await world.tradeEvent(gasCase.outcomes);
  const buyers = await openTraders(world, gasCase.buyers, { firstKey: 1_000, yesShares: plenty });
  const sellers = await openTraders(world, gasCase.sellers, {
    firstKey: 5_000,
    yesShares: gasCase.sellersHoldShares ? plenty : 0n,
  });
  const ledgers = ledgersOf(gasCase);
  await depositFor(world, [...(ledgers.buyerLedger ? buyers : []), ...(ledgers.sellerLedger ? sellers : [])]);
  if (gasCase.badSeller !== undefined) await world.revokeApprovals(sellers[gasCase.badSeller]!);
  const sellerTakes = gasCase.hasFee === true && sellers.length < buyers.length;
  const rounds: { gas: number; settled: number; failed: number }[] = [];
  for (let nonce = 8n; nonce < 8n + BigInt(noncesInASlot); nonce++)
    rounds.push(await settleRound(world, { buyers, sellers, nonce, ledgers, sellerTakes }));
  const [first = 0, ...next] = rounds.map(({ gas }) => gas);
  const nextSum = next.reduce((sum, gas) => sum + gas, 0);
  return {
    firstNonce: Math.round(first),
    nextNonces: Math.round(nextSum / next.length),
    mean: Math.round((first + nextSum) / noncesInASlot),
    settled: rounds[0]!.settled,
    failed: rounds[0]!.failed,
  };
}

async function openTraders(
  world: World,
  count: number,
  options: { firstKey: number; yesShares: bigint },
): Promise<PrivateKeyAccount[]> {
  const traders: PrivateKeyAccount[] = [];
  for (let index = 0; index < count; index++) {
    traders.push(
      await world.openTrader({ key: options.firstKey + index, stablecoin: plenty, yesShares: options.yesShares }),
    );
  }
  return traders;
}

function ledgersOf({ ledger, buyers, sellers }: GasCase): Pick<Fill, 'buyerLedger' | 'sellerLedger'> {
  const isEverybody = ledger === 'everybody';
  const isMakers = ledger === 'makers';
  return {
    buyerLedger: isEverybody || (isMakers && buyers > sellers),
    sellerLedger: isEverybody || (isMakers && sellers >= buyers),
  };
}

/** Deposits half of their funds, so that the wallets pay if the fill does not use the deposit. */
async function depositFor(world: World, traders: readonly PrivateKeyAccount[]): Promise<void> {
  for (const trader of traders) {
    await world.as(trader, world.settlement, presageSettlementAbi, 'depositCollateral', [plenty / 2n]);
  }
}

interface Round {
  readonly buyers: readonly PrivateKeyAccount[];
  readonly sellers: readonly PrivateKeyAccount[];
  readonly nonce: bigint;
  readonly ledgers: Pick<Fill, 'buyerLedger' | 'sellerLedger'>;
  readonly sellerTakes: boolean;
}

async function settleRound(world: World, { buyers, sellers, nonce, ledgers, sellerTakes }: Round) {
  const count = Math.max(buyers.length, sellers.length);
  const orders: SignedOrder[] = [];
  for (const [side, traders] of [buyers, sellers].entries()) {
    // The order of a single taker is as large as all its matches.
    const orderSize = traders.length === 1 ? BigInt(count) * size : size;
    for (const trader of traders) orders.push(await world.sign(trader, { side, price, size: orderSize, nonce }));
  }
  const fills: Fill[] = Array.from({ length: count }, (_, index) => ({
    buy: buyers.length === 1 ? 0 : index,
    sell: buyers.length + (sellers.length === 1 ? 0 : index),
    price,
    size,
    ...ledgers,
    sellerTakes,
  }));
  const receipt = await world.settle(orders, fills);
  return {
    gas: Number(receipt.gasUsed) / count,
    settled: settledOf(receipt).length,
    failed: failuresOf(receipt).length,
  };
}
