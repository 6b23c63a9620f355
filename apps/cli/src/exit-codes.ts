// The exit codes, and the code of each failure.
import { CopyRefused, JournalCorrupt, JournalLocked, JournalMisuse, RecordsDeleted } from '@presage/journal';
import { PresageApiError, PresageConnectionError, PresageInputError, PresageTransactionError } from '@presage/sdk';
import { ApprovalPending } from '@presage/sdk/operator';
import { Violation } from '@presage/sdk/verify';

export const EXIT_CODES = {
  ok: { code: 0, meaning: 'done' },
  refused: { code: 1, meaning: 'refused by the service, or failed on the chain' },
  usage: { code: 2, meaning: 'the command line is invalid, or something it needs is missing' },
  unreachable: { code: 3, meaning: 'the service, or the node of `--rpc`, cannot be reached' },
  timeout: { code: 4, meaning: 'timed out (`--timeout`); it may still happen' },
  unsound: {
    code: 5,
    meaning: 'a check failed: `verify` caught the operator, `doctor` found a fault, `journal verify` found damage',
  },
  awaiting: { code: 6, meaning: 'not done yet: another operator must confirm it (`presage admin approvals`)' },
  internal: { code: 70, meaning: 'an internal error of this program' },
} as const;

export type ExitName = keyof typeof EXIT_CODES;

/** Remedy for a command line that commander did not understand. */
export const MISTAKE_REMEDY = 'Add --help to read how the command is used.';

/** The command cannot be executed as given; `remedy` says what to do. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly remedy: string | undefined;

  constructor(message: string, remedy?: string) {
    super(message);
    this.remedy = remedy;
  }
}

/** A node of a chain gives no answer, or an invalid one. */
export class NodeUnreachable extends Error {
  override readonly name = 'NodeUnreachable';
}

/** A backup does not hold what its manifest says. */
export class BackupDamaged extends Error {
  override readonly name = 'BackupDamaged';
}

/** A check completed, found a fault and has already reported it. */
export class UnsoundError extends Error {
  override readonly name = 'UnsoundError';
}

/** A file system error about a path that the user can fix: missing, full, read-only or owned by somebody else. Node names it in `path`. */
export function isFileTrouble(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && 'path' in error && typeof error.path === 'string';
}

const NAMES: readonly (readonly [new (...given: never[]) => Error, ExitName])[] = [
  [PresageApiError, 'refused'],
  [PresageTransactionError, 'refused'],
  [PresageInputError, 'usage'],
  [UsageError, 'usage'],
  [CopyRefused, 'usage'],
  [JournalLocked, 'usage'],
  [JournalMisuse, 'usage'],
  [RecordsDeleted, 'usage'],
  [PresageConnectionError, 'unreachable'],
  [NodeUnreachable, 'unreachable'],
  [JournalCorrupt, 'unsound'],
  [BackupDamaged, 'unsound'],
  [UnsoundError, 'unsound'],
  [Violation, 'unsound'],
  [ApprovalPending, 'awaiting'],
];

export function exitNameOf(error: unknown): ExitName {
  if (error instanceof Error && error.name === 'TimeoutError') return 'timeout';
  if (isFileTrouble(error)) return 'usage';
  return NAMES.find(([kind]) => error instanceof kind)?.[1] ?? 'internal';
}
