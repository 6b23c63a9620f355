// The result of a verification in words for traders.
import { money, plural } from '../lib/format.ts';

import type { PageVerdict } from './messages.ts';

export interface Finding {
  readonly title: string;
  readonly text: string;
}

const count = new Intl.NumberFormat('en-US');

export function findingsOf(verdict: PageVerdict, receipts: number): Finding[] {
  const { counts, resumedFrom } = verdict;
  const before = resumedFrom === undefined ? '' : ` ${count.format(resumedFrom)} of them you had checked before.`;
  return [
    {
      title: 'Nobody was passed over',
      text: `${plural(counts.trades, 'trade')} and ${plural(counts.cancellations, 'cancellation')} were decided again by price and time, with the same result.`,
    },
    { title: 'Nothing was made up', text: signersText(verdict) },
    {
      title: 'Nothing was changed or removed',
      text: `${plural(counts.records, 'record')} form one chain, up to the one that the operator signed.${before}`,
    },
    { title: 'The books are real', text: `${plural(counts.books, 'book')} shown as the records say.` },
    { title: 'Every share is paid for', text: backingText(verdict) },
    {
      title: receipts === 0 ? 'You have no receipts yet' : 'Your orders are where you were told',
      text:
        receipts === 0
          ? 'With your first order this browser keeps one, and checks it here.'
          : `${counts.receipts} of your ${plural(receipts, 'receipt')} ${counts.receipts === 1 ? 'is' : 'are'} kept${counts.receipts < receipts ? '; the others are not published yet' : ''}.`,
    },
  ];
}

function signersText({ counts: { orders, signatures, contractOrders } }: PageVerdict): string {
  const signed = `${plural(signatures, 'order')} of ${count.format(orders)} are signed by their owners.`;
  if (contractOrders === 0) return signed;
  return `${signed} ${plural(contractOrders, 'order')} of wallets that are contracts can only be checked on chain.`;
}

function backingText({ solvency }: PageVerdict): string {
  if (solvency === undefined) return 'Not checked.';
  const { collateral, markets } = solvency.totals;
  return `By the records, ${money(collateral)} was paid in for the shares of ${plural(markets, 'market')}, which covers every possible result.`;
}
