// The settings of a transaction sender, their defaults and the reasons for them.
import type { Hex } from '@presage/protocol';
import type { NodeReader } from '../node-reader.ts';
import type { Rpc } from '../rpc.ts';
import { createFeeStrategy, type FeeStrategy } from './fees.ts';
import type { NoncePolicy } from './nonce-decision.ts';
import type { OperationView } from './operation-view.ts';
import type { SenderAlarm } from './sender-alarms.ts';
import type { SenderLedgerOptions } from './sender-ledger.ts';
import type { TransactionAccount } from './transaction-signer.ts';

type Policy = NoncePolicy & {
  /** Depth at which a foreign transaction at our nonce moves the operation to another nonce. */
  readonly foreignConfirmations: number;
};

export interface TransactionSenderOptions
  extends Pick<SenderLedgerOptions, 'journal' | 'snapshot'>,
    Partial<Pick<SenderLedgerOptions, 'records' | 'retainFinalized'>>,
    Partial<Policy> {
  readonly rpc: Rpc;
  /** Shared with other followers of the chain; a private one if absent. */
  readonly node?: NodeReader;
  readonly chainId: number;
  readonly account: TransactionAccount;
  readonly fees?: FeeStrategy;
  readonly maxFeePerGasCap?: bigint;
  readonly maxInFlight?: number;
  readonly gasMarginPercent?: number;
  readonly pollMs?: number;
  /** The longest pause while nothing is pending and no block arrives; `wake` ends it. */
  readonly idleMs?: () => number;
  readonly onAlarm?: (alarm: SenderAlarm) => void;
  /** Wall time. */
  readonly nowMs?: () => number;
  /** The lowest open nonce is reported as stuck after this long without progress. */
  readonly stuckAfterMs?: number;
}

export type SenderSettings = ReturnType<typeof toSenderSettings>;

/** Several hours of a busy service, in a few megabytes. */
export const RETAINED_OPERATIONS = 10_000;

const GWEI = 1_000_000_000n;
const DEFAULT_TIP = GWEI;
const DEFAULT_CAP = 10_000n * GWEI;
/** Ten blocks of the slowest chain. */
const STUCK_AFTER_MS = 120_000;
/** Executing an operation twice is worse than waiting, so a foreign transaction must be at least this deep. */
const MIN_FOREIGN_CONFIRMATIONS = 6;

/** Options with every default applied. */
export function toSenderSettings(options: TransactionSenderOptions) {
  const { confirmations = 1, pollMs = 1_000 } = options;
  const policy: Policy = {
    confirmations,
    finalityDepth: Math.max(64, confirmations),
    replaceAfterBlocks: 3,
    maxReplacements: 10,
    receiptRounds: 3,
    foreignConfirmations: Math.max(MIN_FOREIGN_CONFIRMATIONS, confirmations),
  };
  return {
    fees: createFeeStrategy({ leastTip: DEFAULT_TIP }),
    maxFeePerGasCap: DEFAULT_CAP,
    // Nodes' pools keep at least 64 pending transactions per account.
    maxInFlight: 64,
    gasMarginPercent: 25,
    idleMs: () => pollMs,
    records: [],
    retainFinalized: RETAINED_OPERATIONS,
    onAlarm: () => undefined,
    nowMs: Date.now,
    stuckAfterMs: STUCK_AFTER_MS,
    ...options,
    pollMs,
    policy: { ...policy, ...options },
  };
}

/** A call to execute once. */
export interface TransactionRequest {
  /** Chosen before sending; the same id is the same operation, however often it is requested. */
  readonly operationId: string;
  readonly to: Hex;
  readonly data?: Hex;
  readonly value?: bigint;
  /** If absent, gas is estimated on the current state, which is also the simulation. */
  readonly gasLimit?: bigint;
}

export interface SenderPort {
  /** Resolves when the operation is durable. Repeating the id returns the same operation. */
  enqueue(request: TransactionRequest): Promise<OperationView>;
  status(operationId: string): OperationView | undefined;
}

/** A sender that tells whether it may send, for callers that spend or record something before they send. */
export interface HoldableSenderPort extends SenderPort {
  /** Throws `RpcUnavailable` while transactions of a replaced key are pending and nothing is sent; so does `enqueue`. */
  ready(): Promise<void>;
}

/** A sender whose operations can be observed. */
export interface WatchedSenderPort extends HoldableSenderPort {
  onChange(listener: (operation: OperationView) => void): void;
}
