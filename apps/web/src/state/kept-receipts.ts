// The receipts of the visitor's orders, stored in this browser when the service answers; a verification checks them.
import type { PlacedOrder } from '@presage/sdk';
import { keep, recall } from './kept.ts';
import { Store, useWatched } from './store.ts';

export interface OwnReceipt {
  readonly orderHash: string;
  readonly marketId: string;
  readonly text: string;
  readonly receipt: NonNullable<PlacedOrder['receipt']>;
}

const KEY = 'presage.receipts';
/** Most receipts, about half a megabyte: browsers limit the storage of a page. */
const MOST = 1_000;

const receipts = new Store<readonly OwnReceipt[]>(read());
addEventListener('storage', ({ key }) => {
  if (key === KEY) receipts.set(read());
});

function read(): readonly OwnReceipt[] {
  const list = recall(KEY);
  return Array.isArray(list)
    ? list.filter((each: OwnReceipt | null) => each?.orderHash && each.receipt?.signature)
    : [];
}

/** Adds a receipt as the newest. Reads the list first, since another tab may have added one. */
export function keepReceipt({ orderHash, receipt, order }: PlacedOrder, text: string): void {
  if (receipt === undefined) return;
  const others = read().filter((each) => each.orderHash !== orderHash);
  const list = [{ orderHash, marketId: order.marketId, text, receipt }, ...others].slice(0, MOST);
  receipts.set(list);
  keep(KEY, list);
}

export function useReceipts(): readonly OwnReceipt[] {
  return useWatched(receipts);
}
