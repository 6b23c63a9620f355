// Read model of claims: each relayed redemption of a market, as its newest record has it.
import type { ClaimChanged } from '@presage/protocol';
import type { TransactionSql } from '../../store/column-types.ts';
import { bytes, exact, insertInto, integer, text } from '../bulk-statement.ts';
import type { MarketModel } from '../markets/market-model.ts';
import { IGNORED, OF_OTHER_PARTITIONS, type RecordTable, ViewModel } from '../view-model.ts';

export interface ClaimState {
  readonly seq: number;
  readonly marketSeq: number;
  readonly claim: ClaimChanged;
}

const CHANGING = ['seq', 'tx_hash', 'payout', 'winning_outcome', 'status', 'reason'];

export const UPSERT_CLAIMS = insertInto<ClaimState>(
  'claims',
  {
    claim_id: text(({ claim }) => claim.claimId),
    market_seq: integer((row) => row.marketSeq),
    seq: integer((row) => row.seq),
    tx_hash: bytes(({ claim }) => claim.txHash),
    wallet: bytes(({ claim }) => claim.userAddress),
    market_address: bytes(({ claim }) => claim.marketAddress),
    payout: exact(({ claim }) => claim.payout),
    winning_outcome: integer(({ claim }) => claim.winningOutcome),
    submitted_at: integer(({ claim }) => claim.submittedAt),
    status: text(({ claim }) => claim.status),
    reason: text(({ claim }) => claim.reason),
  },
  `on conflict (claim_id, market_seq) do update set ${CHANGING.map((name) => `${name} = excluded.${name}`).join(', ')}`,
);

export class ClaimModel extends ViewModel {
  readonly #markets: MarketModel;
  readonly #changed = new Map<string, ClaimState>();

  protected override readonly records: RecordTable = {
    'claim-changed': { apply: (record, seq) => this.#change(record, seq) },
    'market-listed': IGNORED,
    'market-closed': IGNORED,
    'order-accepted': IGNORED,
    'order-cancelled': IGNORED,
    'order-restored': IGNORED,
    'permit-changed': IGNORED,
    'trade-matched': IGNORED,
    'trade-moved': IGNORED,
    'trade-failed': IGNORED,
    'resolution-changed': IGNORED,
    'position-synced': IGNORED,
    'shares-moved': IGNORED,
    'payout-redeemed': IGNORED,
    'chain-rewound': IGNORED,
    ...OF_OTHER_PARTITIONS,
  };

  constructor(markets: MarketModel) {
    super();
    this.#markets = markets;
  }

  override write(sql: TransactionSql): Promise<unknown> {
    return UPSERT_CLAIMS.run(sql, [...this.#changed.values()]);
  }

  #change(claim: ClaimChanged, seq: number): void {
    const marketSeq = this.#markets.seqOf(claim.marketId);
    this.#changed.set(`${claim.claimId}/${marketSeq}`, { seq, marketSeq, claim });
  }
}
