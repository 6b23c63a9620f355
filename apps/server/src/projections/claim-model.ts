// Read model of claims: each relayed redemption of a market, as its newest record tells it.
import type { ClaimChanged } from '@presage/protocol';
import type { TransactionSql } from '../store/column-types.ts';
import { bytes, exact, insertInto, integer, text } from './bulk-statement.ts';

interface ClaimState {
  readonly seq: number;
  readonly marketSeq: number;
  readonly claim: ClaimChanged;
}

const CHANGING = ['seq', 'tx_hash', 'payout', 'winning_outcome', 'status', 'reason'];

const UPSERT = insertInto<ClaimState>(
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

export class ClaimModel {
  readonly #changed = new Map<string, ClaimState>();

  change(seq: number, claim: ClaimChanged, marketSeq: number): void {
    this.#changed.set(`${claim.claimId}/${marketSeq}`, { seq, marketSeq, claim });
  }

  write(sql: TransactionSql): Promise<unknown> {
    return UPSERT.run(sql, [...this.#changed.values()]);
  }
}
