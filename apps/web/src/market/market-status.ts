// A market's status as text, and its colour.
import type { Market } from '@presage/sdk';

type Status = Pick<Market, 'status' | 'winningOutcome'>;

export function statusText({ status, winningOutcome }: Status): string {
  if (status === 'resolved') return winningOutcome === 0 ? 'YES won' : 'NO won';
  const texts = { open: 'Open', expired: 'Closed', proposed: 'Proposed', disputed: 'Disputed', void: 'Void' };
  return texts[status];
}

export function statusBadge({ status, winningOutcome }: Status): string {
  if (status === 'resolved') return winningOutcome === 0 ? 'is-yes' : 'is-no';
  if (status === 'open') return 'is-good';
  return status === 'expired' || status === 'void' ? '' : 'is-warn';
}
