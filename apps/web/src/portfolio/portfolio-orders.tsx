// Open orders of the wallet over all markets, each with its cancel button: a table, and cards on a phone.
import type { OpenOrder } from '@presage/sdk';
import { Link } from '../app/router.tsx';
import { cents, shares } from '../lib/format.ts';
import { drawTime } from '../lib/times.ts';
import { toFailure } from '../state/failure.ts';
import { usePage } from '../state/page-context.ts';
import { PHONE, useMedia } from '../state/preferences.ts';
import { useWatched } from '../state/store.ts';
import { Empty, Skeleton } from '../ui/states.tsx';
import { Head } from './portfolio-positions.tsx';

export function PortfolioOrders({ questions }: { readonly questions: ReadonlyMap<string, string> }) {
  const { account, toasts } = usePage();
  const { wallet, orders } = useWatched(account.state);
  const isPhone = useMedia(PHONE);
  if (!wallet || orders === undefined) return <Skeleton rows={2} rowHeight={44} />;
  if (orders.length === 0) {
    return <Empty text="No open orders. An offer at your own price waits here until it is taken." icon="list" />;
  }
  const act = async (text: string, work: Promise<unknown>) => {
    try {
      await work;
      toasts.show({ key: 'cancel', tone: 'ok', title: text });
    } catch (error) {
      const { message, remedy, requestId } = toFailure(error);
      toasts.show({
        key: 'cancel',
        tone: 'bad',
        title: 'Not cancelled',
        text: `${message}. ${remedy ?? ''}`,
        requestId,
      });
    }
    account.touch();
  };
  const cancel = ({ orderHash, marketId }: OpenOrder) =>
    void act('Order cancelled', wallet.client.cancel(orderHash, { marketId }));
  const rows = orders.map((order) => ({
    order,
    question: questions.get(order.marketId),
    onCancel: () => cancel(order),
  }));
  return (
    <>
      {isPhone ? <Cards rows={rows} /> : <Table rows={rows} />}
      <p className="pad">
        <button
          type="button"
          className="btn btn-line"
          data-testid="cancel-all"
          onClick={() => void act('All orders cancelled', wallet.client.cancelAll({}))}
        >
          Cancel all
        </button>
      </p>
    </>
  );
}

interface Row {
  readonly order: OpenOrder;
  readonly question: string | undefined;
  readonly onCancel: () => void;
}

function Table({ rows }: { readonly rows: readonly Row[] }) {
  const now = useWatched(usePage().clock.seconds);
  return (
    <table className="table" data-testid="open-orders" data-rows="">
      <caption className="sr">Open orders</caption>
      <Head names={['Market', 'Order', 'Price', 'Left', 'Of', 'Until', 'Action']} words={2} />
      <tbody>
        {rows.map((row) => (
          <tr key={row.order.orderHash}>
            <td className="wrap">
              <Name row={row} />
            </td>
            <td>{textOf(row.order)}</td>
            <td className="num">{cents(row.order.price)}</td>
            <td className="num">{shares(row.order.remainingSize)}</td>
            <td className="num">{shares(row.order.size)}</td>
            <td className="num t2">{drawTime(Number(row.order.expiration), now)}</td>
            <td className="num">
              <Cancel row={row} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Cards({ rows }: { readonly rows: readonly Row[] }) {
  return (
    <div className="pcards" data-testid="open-orders">
      {rows.map((row) => (
        <article key={row.order.orderHash} className="pcard">
          <Name row={row} />
          <div className="row between">
            <span>
              {textOf(row.order)} at {cents(row.order.price)}
            </span>
            <Cancel row={row} />
          </div>
          <p className="sm t2">
            {shares(row.order.remainingSize)} left of {shares(row.order.size)}
          </p>
        </article>
      ))}
    </div>
  );
}

function Name({ row: { order, question } }: { readonly row: Row }) {
  return (
    <Link className="clip" href={`/m/${order.marketId}`}>
      {question ?? 'A market'}
    </Link>
  );
}

function Cancel({ row: { order, onCancel } }: { readonly row: Row }) {
  return (
    <button
      type="button"
      className="btn btn-line sm"
      data-row=""
      data-cancel=""
      onClick={onCancel}
      aria-label={`Cancel ${textOf(order)} at ${cents(order.price)}`}
    >
      Cancel
    </button>
  );
}

function textOf({ side, outcome }: OpenOrder): string {
  return `${side === 0 ? 'Buy' : 'Sell'} ${outcome === 0 ? 'YES' : 'NO'}`;
}
