// A market's status as text, and its colour.
import type { Market } from '@presage/sdk';
import { outcomeOf } from '../lib/outcomes.ts';

type Status = Pick<Market, 'status' | 'winningOutcome'>;

export function statusText({ status, winningOutcome }: Status): string {
  if (status === 'resolved') return `${outcomeOf(winningOutcome)} won`;
  const texts = { open: 'Open', expired: 'Closed', proposed: 'Proposed', disputed: 'Disputed', void: 'Void' };
  return texts[status];
}

export function statusBadge({ status, winningOutcome }: Status): string {
  if (status === 'resolved') return winningOutcome === 0 ? 'is-yes' : 'is-no';
  if (status === 'open') return 'is-good';
  return status === 'expired' || status === 'void' ? '' : 'is-warn';
}
