// Open orders of the wallet over all markets, each with its cancel button: a table, and cards on a phone.
import type { OpenOrder, TradingClient } from '@presage/sdk';
import { cents, shares } from '../lib/format.ts';
import { type OutcomeNames, orderText } from '../lib/outcomes.ts';
import { drawTime } from '../lib/times.ts';
import { CancelButton } from '../market/orders-table.tsx';
import { usePage } from '../state/page-context.ts';
import { useWatched } from '../state/store.ts';
import { CANCELLED, useAct } from '../state/use-act.ts';
import { Button } from '../ui/controls.tsx';
import { Empty, Skeleton } from '../ui/states.tsx';
import { Table } from '../ui/table.tsx';
import { MarketName } from './portfolio-positions.tsx';

interface OrdersProps {
  readonly questions: ReadonlyMap<string, string>;
  readonly namesOf: (marketId: string) => OutcomeNames;
}

export function PortfolioOrders({ questions, namesOf }: OrdersProps) {
  const { account, clock } = usePage();
  const { wallet, orders } = useWatched(account.state);
  const now = useWatched(clock.seconds);
  const { run } = useAct('cancel');
  if (!wallet || orders === undefined) return <Skeleton rows={2} rowHeight={44} />;
  if (orders.length === 0) {
    return <Empty text="No open orders. A limit order rests here until it is filled." icon="list" />;
  }
  const cancelAll = () =>
    void run({ done: 'All orders cancelled', failed: 'Not cancelled' }, () => wallet.client.cancelAll({}));
  const name = ({ marketId }: OpenOrder) => (
    <MarketName marketId={marketId} question={questions.get(marketId) ?? 'A market'} />
  );
  const cancel = (order: OpenOrder) => (
    <CancelOne order={order} names={namesOf(order.marketId)} client={wallet.client} />
  );
  return (
    <>
      <Table
        testId="open-orders"
        caption="Open orders"
        rows={orders}
        keyOf={({ orderHash }) => orderHash}
        hasKeys
        columns={[
          { name: 'Market', className: 'wrap', cell: name },
          { name: 'Order', cell: (order) => orderText(order, namesOf(order.marketId)) },
          { name: 'Price', className: 'num', cell: ({ price }) => cents(price) },
          { name: 'Left', className: 'num', cell: ({ remainingSize }) => shares(remainingSize) },
          { name: 'Of', className: 'num', cell: ({ size }) => shares(size) },
          { name: 'Until', className: 'num t2', cell: ({ expiration }) => drawTime(Number(expiration), now) },
          { name: 'Action', className: 'num', cell: cancel },
        ]}
        card={(order) => (
          <>
            {name(order)}
            <div className="row between">
              <span>
                {orderText(order, namesOf(order.marketId))} at {cents(order.price)}
              </span>
              {cancel(order)}
            </div>
            <p className="sm t2">
              {shares(order.remainingSize)} left of {shares(order.size)}
            </p>
          </>
        )}
      />
      <p className="pad">
        <Button look="line" testId="cancel-all" onClick={cancelAll}>
          Cancel all
        </Button>
      </p>
    </>
  );
}

interface CancelProps {
  readonly order: OpenOrder;
  readonly names: OutcomeNames;
  readonly client: TradingClient;
}

/** Cancel button with its own state, so that a pending cancel does not block the others. */
function CancelOne({ order, names, client }: CancelProps) {
  const { orderHash, marketId } = order;
  const { run } = useAct('cancel');
  const cancel = () => run(CANCELLED, () => client.cancel(orderHash, { marketId }));
  return <CancelButton look="line sm" order={order} names={names} onClick={() => void cancel()} />;
}
