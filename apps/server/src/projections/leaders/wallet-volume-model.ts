// Read model of what each wallet has traded by days, by weeks and in all; without failed trades.
import type { Address } from '@presage/protocol';
import type { BulkTransaction } from '../bulk-transaction.ts';
import { bytes, changing, exact, integer, type RowOf } from '../columns.ts';
import { added, Table } from '../table.ts';
import type { TradeState, TradeStates } from '../trades/trade-rows.ts';
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
const ADD_VOLUMES = WALLET_VOLUMES.upsert(['seconds', 'start', 'wallet'], { volume: added, tradeCount: added });

export class WalletVolumeModel extends ViewModel {
  readonly #trades: TradeStates;
  readonly #volumes = new Map<string, RowOf<typeof WALLET_VOLUMES.columns>>();

  protected override readonly records: RecordTable = {
    'trade-matched': { apply: ({ tradeId }) => this.#count(this.#trades.find(tradeId), 1) },
    'trade-failed': { apply: ({ tradeId }) => this.#count(this.#trades.find(tradeId), -1) },
    'trade-moved': IGNORED.record,
    ...IGNORED.besidesTrades,
  };

  constructor(trades: TradeStates) {
    super();
    this.#trades = trades;
  }

  /** In the order of their keys: transactions of several partitions touch the same wallets, and must not wait for each other in a circle. */
  override async write(sql: BulkTransaction): Promise<void> {
    const keys = [...this.#volumes.keys()].sort();
    await ADD_VOLUMES.run(
      sql,
      keys.flatMap((key) => this.#volumes.get(key) ?? []),
    );
  }

  /** A trade with oneself counts once. */
  #count({ buyer, seller, cost, timeMs }: TradeState, trades: 1 | -1): void {
    this.#add(buyer, timeMs, trades === 1 ? cost : -cost, trades);
    if (seller !== buyer) this.#add(seller, timeMs, trades === 1 ? cost : -cost, trades);
  }

  #add(wallet: Address, timeMs: number, volume: bigint, trades: number): void {
    for (const seconds of Object.values(PERIOD_SECONDS)) {
      const start = startOfPeriod(timeMs, seconds);
      const key = `${seconds}/${start}/${wallet}`;
      const row = this.#volumes.get(key) ?? { seconds, start, wallet, volume: 0n, tradeCount: 0 };
      this.#volumes.set(key, row);
      row.volume += volume;
      row.tradeCount += trades;
    }
  }
}
