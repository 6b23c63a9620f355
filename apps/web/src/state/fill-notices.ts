// Says so when an order that was waiting in the book is filled, wherever on the page the user is.
import type { OpenOrder } from '@presage/sdk';
import { cents, shares } from '../lib/format.ts';
import { outcomeOf } from '../lib/outcomes.ts';
import type { Account } from '../wallet/account.ts';
import type { Toasts } from './toasts.ts';

export function announceFills(account: Account, toasts: Toasts): () => void {
  return account.listen((event) => {
    if (event.type !== 'order') return;
    // Called before the list changes: what is in it was resting.
    const before = account.state.get().orders?.find(({ orderHash }) => orderHash === event.data.orderHash);
    if (before === undefined) return;
    const filled = BigInt(before.remainingSize) - BigInt(event.data.remainingSize);
    if (filled > 0n && event.data.status !== 'cancelled') toasts.show(toToast(event.data, filled));
  });
}

function toToast(order: OpenOrder, filled: bigint) {
  const verb = order.side === 0 ? 'Bought' : 'Sold';
  const left = BigInt(order.remainingSize);
  return {
    key: `fill ${order.orderHash}`,
    tone: 'ok',
    title: `${verb} ${shares(filled)} ${outcomeOf(order.outcome)} at ${cents(order.price)}`,
    text:
      left === 0n ? `Your ${order.side === 0 ? 'bid' : 'ask'} was filled.` : `${shares(left)} still rest in the book.`,
  } as const;
}
