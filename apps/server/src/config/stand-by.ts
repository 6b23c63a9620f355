// Decides whether a node whose journal failed stands by (closes and reopens everything) instead of ending.
const JOURNAL_FAILURES = new Set(['journal-fenced', 'journal-poisoned', 'journal-corrupt', 'connection-lost']);

/** True for a settler: it has no trading state to lose when its chain is taken or the database fails. By codes: the journal's classes load later. */
export function canStandBy(roles: readonly string[], error: unknown): boolean {
  const isOnlySettler = roles.length === 1 && roles[0] === 'settler';
  return isOnlySettler && error instanceof Error && 'code' in error && JOURNAL_FAILURES.has(String(error.code));
}
