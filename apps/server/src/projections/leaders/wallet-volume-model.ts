// Read model of volumes: what each wallet has traded with others per day, per week and in total, without failed trades.
import type { Address } from '@presage/protocol';
import type { BulkTransaction } from '../bulk-transaction.ts';
import { bytes, changing, exact, integer, type RowOf } from '../columns.ts';
import { added, Table } from '../table.ts';
import { countRevived, type TradeState, type TradeStates } from '../trades/trade-rows.ts';
import { IGNORED, type RecordTable, ViewModel } from '../view-model.ts';
import { PERIOD_SECONDS, startOfPeriod } from './leader-periods.ts';

export const WALLET_VOLUMES = new Table('wallet_volumes', {
  /** Length of the period; 0 for all time. */
  seconds: integer('integer'),
  /** Unix seconds. */
  start: integer(),
  wallet: bytes<Address>(),
  volume: changing(exact()),
  tradeCount: changing(integer()),
});
type WalletVolume = RowOf<typeof WALLET_VOLUMES.columns>;
const ADD_VOLUMES = WALLET_VOLUMES.upsert(['seconds', 'start', 'wallet'], { volume: added, tradeCount: added });

const PERIODS = Object.values(PERIOD_SECONDS);

/** A wallet's rows of one period length, newest last; most trades belong to the last one. */
type OfLength = WalletVolume[];

export class WalletVolumeModel extends ViewModel {
  readonly #trades: TradeStates;
  /** In the order of `PERIODS`. */
  readonly #volumes = new Map<Address, readonly OfLength[]>();

  protected override readonly records: RecordTable = {
    'trade-matched': { apply: ({ tradeId }) => this.#count(this.#trades.find(tradeId), 1) },
    'trade-failed': { apply: ({ tradeId }) => this.#count(this.#trades.find(tradeId), -1) },
    'trade-revived': { apply: ({ tradeId }) => this.#recount(this.#trades.find(tradeId)) },
    'trade-moved': IGNORED.record,
    ...IGNORED.besidesTrades,
  };

  constructor(trades: TradeStates) {
    super();
    this.#trades = trades;
  }

  /** In key order: transactions of several partitions touch the same wallets and must not deadlock. */
  override async write(sql: BulkTransaction): Promise<void> {
    const wallets = [...this.#volumes.keys()].sort();
    const rows = wallets.flatMap((wallet) => this.#volumes.get(wallet)!.flatMap((ofLength) => ofLength.sort(byStart)));
    await ADD_VOLUMES.run(sql, rows);
  }

  #recount(trade: TradeState): void {
    const change = countRevived(trade);
    if (change !== 0) this.#count(trade, change);
  }

  /** A trade with oneself counts as a trade but not as volume: it costs nothing and would buy any rank. */
  #count({ buyer, seller, cost, timeMs }: TradeState, trades: 1 | -1): void {
    const isOwn = buyer === seller;
    const volume = isOwn ? 0n : cost * BigInt(trades);
    this.#add(buyer, timeMs, volume, trades);
    if (!isOwn) this.#add(seller, timeMs, volume, trades);
  }

  #add(wallet: Address, timeMs: number, volume: bigint, trades: number): void {
    const ofWallet = this.#volumes.get(wallet) ?? PERIODS.map((): OfLength => []);
    if (ofWallet[0]!.length === 0) this.#volumes.set(wallet, ofWallet);
    for (let index = 0; index < PERIODS.length; index++) {
      const seconds = PERIODS[index]!;
      const row = findRow(ofWallet[index]!, wallet, seconds, startOfPeriod(timeMs, seconds));
      row.volume += volume;
      row.tradeCount += trades;
    }
  }
}

/** Searches from the end: a transaction holds the trades of a few days. */
function findRow(rows: OfLength, wallet: Address, seconds: number, start: number): WalletVolume {
  for (let at = rows.length - 1; at >= 0; at--) if (rows[at]!.start === start) return rows[at]!;
  const row = { seconds, start, wallet, volume: 0n, tradeCount: 0 };
  rows.push(row);
  return row;
}

function byStart(a: WalletVolume, b: WalletVolume): number {
  return a.start - b.start;
}
