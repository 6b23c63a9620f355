// Open orders, with buttons to cancel one or all.
import type { OpenOrder } from '@presage/sdk';
import { useState } from 'react';
import { cents, shares } from '../lib/format.ts';
import { clockTime } from '../lib/times.ts';
import { type Failure, toFailure } from '../state/failure.ts';
import { usePage } from '../state/page-context.ts';
import { useWatched } from '../state/store.ts';
import { Empty, Skeleton } from '../ui/states.tsx';

interface OrdersProps {
  /** All markets by default. */
  readonly marketId?: string;
  readonly questions?: ReadonlyMap<string, string>;
}

export function OrdersTable({ marketId, questions }: OrdersProps) {
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
  const shown = orders.filter((order) => marketId === undefined || order.marketId === marketId);
  if (shown.length === 0) return <Empty text="No open orders. A limit order that does not fill at once rests here." />;
  const cancelOne = ({ orderHash, marketId: market }: OpenOrder) =>
    cancel(wallet.client.cancel(orderHash, { marketId: market }));
  return (
    <>
      {failure && (
        <p role="alert" className="pad no">
          Not cancelled: {failure.message}. {failure.remedy}
        </p>
      )}
      <table className="rows" data-testid="open-orders" data-rows="">
        <caption className="sr">Open orders</caption>
        <thead>
          <tr>
            {questions && <th scope="col">Market</th>}
            {['Order', 'Price', 'Left', 'Of', 'Placed'].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
            <th scope="col">
              <button
                type="button"
                className="btn btn-line"
                data-testid="cancel-all"
                onClick={() => void cancel(wallet.client.cancelAll(marketId === undefined ? {} : { marketId }))}
              >
                Cancel all
              </button>
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.map((order) => (
            <OrderLine
              key={order.orderHash}
              order={order}
              question={questions?.get(order.marketId)}
              onCancel={() => void cancelOne(order)}
            />
          ))}
        </tbody>
      </table>
    </>
  );
}

function OrderLine({
  order,
  question,
  onCancel,
}: {
  readonly order: OpenOrder;
  readonly question: string | undefined;
  readonly onCancel: () => void;
}) {
  const text = `${order.side === 0 ? 'Buy' : 'Sell'} ${order.outcome === 0 ? 'YES' : 'NO'}`;
  return (
    <tr>
      {question !== undefined && <td>{question}</td>}
      <td className={order.outcome === 0 ? 'yes' : 'no'}>{text}</td>
      <td>{cents(order.price)}</td>
      <td>{shares(order.remainingSize)}</td>
      <td>{shares(order.size)}</td>
      <td>{clockTime(order.timestamp)}</td>
      <td>
        <button
          type="button"
          className="btn btn-line"
          data-row=""
          data-cancel=""
          onClick={onCancel}
          aria-label={`Cancel ${text} at ${cents(order.price)}`}
        >
          Cancel
        </button>
      </td>
    </tr>
  );
}
