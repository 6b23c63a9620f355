// Read model of claims: the newest state of each relayed redemption.
import type { Address, ClaimChanged, ClaimOutcome, ClaimStatus, TransactionHash } from '@presage/protocol';
import type { BulkTransaction } from '../bulk-transaction.ts';
import { bytes, exact, integer, named, orNull, type RowOf, text } from '../columns.ts';
import type { MarketModel } from '../markets/market-model.ts';
import { Table } from '../table.ts';
import { IGNORED, type RecordTable, ViewModel } from '../view-model.ts';

export const CLAIMS = new Table('claims', {
  claimId: text(),
  marketSeq: integer(),
  seq: integer(),
  txHash: bytes<TransactionHash>(),
  userAddress: named('wallet', bytes<Address>()),
  marketAddress: bytes<Address>(),
  payout: exact(),
  winningOutcome: integer<ClaimOutcome>('smallint'),
  /** Unix seconds. */
  submittedAt: integer(),
  status: text<ClaimStatus>(),
  reason: orNull(text()),
});
type Claim = RowOf<typeof CLAIMS.columns>;

const UPSERT_CLAIMS = CLAIMS.upsert(['claimId', 'marketSeq']);

export class ClaimModel extends ViewModel {
  readonly #markets: MarketModel;
  readonly #changed = new Map<string, Claim>();

  protected override readonly records: RecordTable = {
    'claim-changed': { apply: (record, seq) => this.#change(record, seq) },
    ...IGNORED.markets,
    ...IGNORED.orders,
    ...IGNORED.trades,
    ...IGNORED.shares,
    ...IGNORED.others,
  };

  constructor(markets: MarketModel) {
    super();
    this.#markets = markets;
  }

  override write(sql: BulkTransaction): Promise<unknown> {
    return UPSERT_CLAIMS.run(sql, [...this.#changed.values()]);
  }

  #change(claim: ClaimChanged, seq: number): void {
    const marketSeq = this.#markets.seqOf(claim.marketId);
    const { payout, reason = null } = claim;
    this.#changed.set(`${claim.claimId}/${marketSeq}`, { ...claim, marketSeq, seq, payout: BigInt(payout), reason });
  }
}
