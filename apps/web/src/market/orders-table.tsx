// The wallet's open orders in one market, with buttons to cancel one or all.
import { useState } from 'react';
import { cents, shares } from '../lib/format.ts';
import { type OutcomeNames, orderText } from '../lib/outcomes.ts';
import { clockTime } from '../lib/times.ts';
import { type Failure, toFailure } from '../state/failure.ts';
import type { MarketFeed } from '../state/market-feed.ts';
import { usePage } from '../state/page-context.ts';
import { useWatched } from '../state/store.ts';
import { Button } from '../ui/controls.tsx';
import { Empty, Skeleton } from '../ui/states.tsx';

const NAMES = ['Order', 'Price', 'Left', 'Of', 'Placed'];

export function OrdersTable({ feed: { marketId, names } }: { readonly feed: MarketFeed }) {
  const { account } = usePage();
  const { wallet, orders } = useWatched(account.state);
  const [failure, setFailure] = useState<Failure>();
  const cancel = async (work: Promise<unknown>) => {
    setFailure(undefined);
    await work.catch((error: unknown) => setFailure(toFailure(error)));
    account.touch();
  };
  if (!wallet) return <Empty text="No wallet is open, so there are no orders." />;
  if (orders === undefined) return <Skeleton rows={2} rowHeight={36} />;
  const shown = orders.filter((order) => order.marketId === marketId);
  if (shown.length === 0) return <Empty text="No open orders. A limit order that does not fill at once rests here." />;
  return (
    <>
      {failure && <NotCancelled {...failure} />}
      <table className="rows" data-testid="open-orders" data-rows="">
        <caption className="sr">Open orders</caption>
        <thead>
          <tr>
            {NAMES.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
            <th scope="col">
              <Button
                look="line"
                testId="cancel-all"
                onClick={() => void cancel(wallet.client.cancelAll({ marketId }))}
              >
                Cancel all
              </Button>
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.map((order) => (
            <tr key={order.orderHash}>
              <td className={order.outcome === 0 ? 'yes' : 'no'}>{orderText(order, names)}</td>
              <td>{cents(order.price)}</td>
              <td>{shares(order.remainingSize)}</td>
              <td>{shares(order.size)}</td>
              <td>{clockTime(order.timestamp)}</td>
              <td>
                <CancelButton
                  look="line"
                  order={order}
                  names={names}
                  onClick={() => void cancel(wallet.client.cancel(order.orderHash, { marketId }))}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

function NotCancelled({ message, remedy }: Failure) {
  return (
    <p role="alert" className="pad no">
      Not cancelled: {message}. {remedy}
    </p>
  );
}

interface CancelButtonProps {
  readonly look: string;
  readonly order: Parameters<typeof orderText>[0] & { readonly price: number | bigint };
  readonly names: OutcomeNames;
  readonly onClick: () => void;
}

/** Its data attributes make the button a row for the keyboard, where `x` cancels the order. */
export function CancelButton({ look, order, names, onClick }: CancelButtonProps) {
  const label = `Cancel ${orderText(order, names)} at ${cents(order.price)}`;
  return (
    <Button look={look} data-row="" data-cancel="" onClick={onClick} aria-label={label}>
      Cancel
    </Button>
  );
}
