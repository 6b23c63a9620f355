// The status of a market or an event as text, and its colour.
import type { Market, MarketEvent } from '@presage/sdk';
import { outcomeOf } from '../lib/outcomes.ts';

type Status = Pick<Market, 'status' | 'winningOutcome'>;

const TEXTS = {
  open: 'Open',
  expired: 'Closed',
  proposed: 'Proposed',
  disputed: 'Disputed',
  resolved: 'Resolved',
  void: 'Void',
};

export function statusText({ status, winningOutcome }: Status): string {
  return status === 'resolved' ? `${outcomeOf(winningOutcome)} won` : TEXTS[status];
}

export function eventStatusText({ status, winningIndex, outcomes }: MarketEvent): string {
  const winner = outcomes.find(({ index }) => index === winningIndex);
  return winner === undefined ? TEXTS[status] : `${winner.name} won`;
}

export function statusBadge({ status, winningOutcome }: Status): string {
  if (status === 'resolved') return winningOutcome === 0 ? 'is-yes' : 'is-no';
  if (status === 'open') return 'is-good';
  return status === 'expired' || status === 'void' ? '' : 'is-warn';
}
