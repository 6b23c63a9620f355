// The settings of a transaction sender, their defaults and the reasons for them.
import type { Hex } from '@presage/protocol';
import type { FeeStrategy } from './fees.ts';
import { createFeeStrategy } from './fees.ts';
import type { NoncePolicy } from './nonce-decision.ts';
import type { Rpc } from './rpc.ts';
import type { SenderAlarm } from './sender-alarms.ts';
import type { SenderJournal } from './sender-records.ts';
import type { SenderSnapshot } from './sender-state.ts';
import type { TransactionAccount } from './transaction-signer.ts';

export interface TransactionSenderOptions {
  readonly rpc: Rpc;
  readonly chainId: number;
  readonly account: TransactionAccount;
  readonly journal: SenderJournal;
  /** Where a checkpoint of the journal left this sender. */
  readonly snapshot?: SenderSnapshot;
  /** Everything the journal holds for this sender after that, oldest first. */
  readonly records?: Iterable<unknown>;
  readonly fees?: FeeStrategy;
  readonly maxFeePerGasCap?: bigint;
  readonly confirmations?: number;
  readonly finalityDepth?: number;
  readonly replaceAfterBlocks?: number;
  readonly maxReplacements?: number;
  readonly receiptRounds?: number;
  /** How deep somebody else's transaction at our nonce must be before its operation moves to another nonce. */
  readonly foreignConfirmations?: number;
  readonly maxInFlight?: number;
  readonly gasMarginPercent?: number;
  readonly pollMs?: number;
  /** The longest pause while nothing is on its way and no block comes; `wake` ends it. */
  readonly idleMs?: () => number;
  /** How many finished operations are remembered for callers that ask or repeat themselves. */
  readonly retainFinalized?: number;
  readonly onAlarm?: (alarm: SenderAlarm) => void;
  /** Wall time. */
  readonly nowMs?: () => number;
  /** After this long without progress the lowest open nonce is reported as stuck. */
  readonly stuckAfterMs?: number;
}

export interface SenderSettings {
  readonly policy: NoncePolicy & { readonly foreignConfirmations: number };
  readonly fees: FeeStrategy;
  readonly maxFeePerGasCap: bigint;
  readonly maxInFlight: number;
  readonly gasMarginPercent: number;
  readonly pollMs: number;
  readonly idleMs: () => number;
  readonly retainFinalized: number;
  readonly nowMs: () => number;
  readonly stuckAfterMs: number;
}

/** Hours of a busy service, in a few megabytes. */
export const RETAINED_OPERATIONS = 10_000;

const GWEI = 1_000_000_000n;
const DEFAULT_TIP = GWEI;
const DEFAULT_CAP = 10_000n * GWEI;
/** Ten blocks of the slowest chain. */
const STUCK_AFTER_MS = 120_000;
/** Executing an operation twice is worse than waiting, so somebody else's transaction must be at least this deep. */
const MIN_FOREIGN_CONFIRMATIONS = 6;

export function toSenderSettings(options: TransactionSenderOptions): SenderSettings {
  const confirmations = options.confirmations ?? 1;
  const pollMs = options.pollMs ?? 1_000;
  return {
    policy: {
      confirmations,
      finalityDepth: options.finalityDepth ?? Math.max(64, confirmations),
      replaceAfterBlocks: options.replaceAfterBlocks ?? 3,
      maxReplacements: options.maxReplacements ?? 10,
      receiptRounds: options.receiptRounds ?? 3,
      foreignConfirmations: options.foreignConfirmations ?? Math.max(MIN_FOREIGN_CONFIRMATIONS, confirmations),
    },
    fees: options.fees ?? createFeeStrategy({ leastTip: DEFAULT_TIP }),
    maxFeePerGasCap: options.maxFeePerGasCap ?? DEFAULT_CAP,
    // Pools keep at least 64 waiting transactions of one account.
    maxInFlight: options.maxInFlight ?? 64,
    gasMarginPercent: options.gasMarginPercent ?? 25,
    pollMs,
    idleMs: options.idleMs ?? (() => pollMs),
    retainFinalized: options.retainFinalized ?? RETAINED_OPERATIONS,
    nowMs: options.nowMs ?? Date.now,
    stuckAfterMs: options.stuckAfterMs ?? STUCK_AFTER_MS,
  };
}

/** What a caller asks to have executed once. */
export interface TransactionRequest {
  /** Known before sending; the same id is the same operation, however often it is asked for. */
  readonly operationId: string;
  readonly to: Hex;
  readonly data?: Hex;
  readonly value?: bigint;
  /** Without it the call is estimated on the present state, which is also its simulation. */
  readonly gasLimit?: bigint;
}
