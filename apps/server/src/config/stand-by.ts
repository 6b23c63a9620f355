// Whether a node whose journal fails closes everything and opens it again, instead of ending.
const JOURNAL_FAILURES = new Set(['journal-fenced', 'journal-poisoned', 'journal-corrupt', 'connection-lost']);

/** A settler keeps no trading state in memory, so it can open everything again when its chain is taken or the database fails. By codes, since the journal is loaded later. */
export function canStandBy(roles: readonly string[], error: unknown): boolean {
  const isOnlySettler = roles.length === 1 && roles[0] === 'settler';
  return isOnlySettler && error instanceof Error && 'code' in error && JOURNAL_FAILURES.has(String(error.code));
}
