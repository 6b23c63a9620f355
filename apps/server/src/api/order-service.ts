// What the order endpoints call: admission places, the host cancels, and the view has what the engine has removed.
import { type Address, fromServiceSeq, type MarketId, type OrderHash, PresageError } from '@presage/protocol';
import type { Admission } from '../admission/admission.ts';
import type { DeadManSwitches } from '../host/dead-man-switches.ts';
import type { HostCommands } from '../host/host-commands.ts';
import type { MarketReads } from '../host/ports.ts';
import type { Views } from '../projections/views.ts';
import type { PublicJournal } from '../proof/public-journal.ts';
import type { CancelledOrder, OrderService } from './services.ts';

interface OrderServiceOptions {
  readonly admission: Admission;
  readonly commands: HostCommands;
  readonly switches: DeadManSwitches;
  readonly reads: MarketReads;
  readonly views: Views;
  readonly publicJournal: Pick<PublicJournal, 'receiptAt' | 'marketPartitionCount'>;
}

/** Without the database orders are still answered; only the receipt of a repeated answer is missing. A lagging view is awaited. */
function passOverDatabase(error: unknown): undefined {
  if (error instanceof PresageError && error.code === 'database_unavailable') return undefined;
  throw error;
}

export function createOrderService(options: OrderServiceOptions): OrderService {
  const { admission, commands, switches, reads, views, publicJournal } = options;
  const cancel = async (marketId: MarketId, orderHash: OrderHash, wallet?: Address): Promise<CancelledOrder> => {
    const { cancelled, ...receipt } = await commands.cancelOrder(marketId, orderHash, wallet);
    const { remainingSize } = cancelled;
    return { remainingSize, filledSize: reads.order(orderHash)?.filledSize ?? 0, ...receipt };
  };
  const findReceipt = async (orderHash: OrderHash) => {
    const life = await views.listOrderLife(orderHash);
    const accepted = life?.find(({ type }) => type === 'accepted');
    return accepted && publicJournal.receiptAt(fromServiceSeq(accepted.seq, publicJournal.marketPartitionCount));
  };
  return {
    submit: admission.submit,
    submitAll: (bodies) => admission.submitAll(bodies),
    receiptOf: (orderHash) => findReceipt(orderHash).catch(passOverDatabase),
    examine: (body) => admission.examine(body),
    cancelAll: (wallet, marketId) => commands.cancelOrders(wallet, 'user', marketId),
    heartbeat: (wallet, timeoutSeconds) => switches.set(wallet, timeoutSeconds),
    cancel: async (marketId, orderHash, wallet) => {
      try {
        return await cancel(marketId, orderHash, wallet);
      } catch (error) {
        if (!(error instanceof PresageError) || error.code !== 'order_not_found') throw error;
        // The engine removes final orders; the view never does.
        const row = await views.findOrder(orderHash);
        if (row?.marketId !== marketId) throw new PresageError('order_not_found', { orderHash, marketId });
        throw new PresageError('order_not_open', { status: row.status });
      }
    },
  };
}
