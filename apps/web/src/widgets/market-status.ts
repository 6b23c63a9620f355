// A market's status as text, and its colour.
import type { Market } from '@presage/sdk';

export function statusText({ status, winningOutcome }: Pick<Market, 'status' | 'winningOutcome'>): string {
  if (status === 'resolved') return winningOutcome === 0 ? 'YES won' : 'NO won';
  const texts = { open: 'Open', expired: 'Closed', proposed: 'Proposed', disputed: 'Disputed', void: 'Void' };
  return texts[status];
}

export function statusTone({
  status,
  winningOutcome,
}: Pick<Market, 'status' | 'winningOutcome'>): 'yes' | 'no' | 'warn' | 'muted' {
  if (status === 'resolved') return winningOutcome === 0 ? 'yes' : 'no';
  if (status === 'open') return 'yes';
  return status === 'expired' || status === 'void' ? 'muted' : 'warn';
}
