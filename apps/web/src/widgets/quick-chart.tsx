// Twenty minutes of an asset's price, with the price to beat as a dashed line.
import type { QuickMarket } from '@presage/sdk';
import type { QuickFeed } from '../state/quick-feed.ts';
import { useWatched } from '../state/store.ts';
import { ChartFrame } from './chart-frame.tsx';

const dollars = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });

function format(value: number): string {
  return dollars.format(value);
}

export function QuickChart({ quick, window }: { readonly quick: QuickFeed; readonly window: QuickMarket | null }) {
  const { points } = useWatched(quick.prices);
  const strike =
    window === null ? undefined : { value: Number(window.startPrice) / 10 ** window.priceDecimals, title: 'to beat' };
  const values = points.map(({ value }) => value);
  const [first = 0, last = 0] = [values[0], values.at(-1)];
  const range =
    values.length === 0
      ? 'loading'
      : `Started at ${format(first)}, low ${format(Math.min(...values))}, high ${format(Math.max(...values))}, now ${format(last)}`;
  const beside =
    strike === undefined
      ? ''
      : `, which is ${format(Math.abs(last - strike.value))} ${last >= strike.value ? 'above' : 'below'} the price to beat`;
  return (
    <ChartFrame
      points={points}
      label={`${quick.asset} price, last 20 minutes. ${range}${beside}.`}
      formatValue={format}
      smallestStep={0.01}
      strike={strike}
    />
  );
}
