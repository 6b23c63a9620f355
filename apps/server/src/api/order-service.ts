// Service behind the order endpoints: admission places orders, the host cancels them, the view finds those the engine has removed.
import { type Address, fromServiceSeq, type MarketId, type OrderHash, PresageError } from '@presage/protocol';
import type { Admission } from '../admission/admission.ts';
import type { DeadManSwitches } from '../host/dead-man-switches.ts';
import type { HostCommands } from '../host/host-commands.ts';
import type { MarketReads, OrderTurn } from '../host/ports.ts';
import type { Views } from '../projections/views.ts';
import type { PublicJournal } from '../proof/public-journal.ts';

interface OrderServiceOptions {
  readonly admission: Admission;
  readonly commands: HostCommands;
  readonly switches: DeadManSwitches;
  readonly reads: MarketReads;
  readonly views: Views;
  readonly publicJournal: Pick<PublicJournal, 'receiptAt' | 'recentReceipt' | 'marketPartitionCount'>;
}

/** Ignores an unreachable database, so that orders are still answered: only the receipt of an old, repeated answer is missing. */
function passOverDatabase(error: unknown): undefined {
  if (error instanceof PresageError && error.code === 'database_unavailable') return undefined;
  throw error;
}

export type OrderService = ReturnType<typeof createOrderService>;

export function createOrderService(options: OrderServiceOptions) {
  const { admission, commands, switches, reads, views, publicJournal } = options;
  const findReceipt = async (orderHash: OrderHash) => {
    const recent = publicJournal.recentReceipt(orderHash);
    if (recent !== undefined) return recent;
    const life = await views.listOrderLife(orderHash);
    const accepted = life?.find(({ type }) => type === 'accepted');
    return accepted && publicJournal.receiptAt(fromServiceSeq(accepted.seq, publicJournal.marketPartitionCount));
  };
  return {
    submit: admission.submit,
    /** Places orders; one result each, in list order. */
    submitAll: (bodies: readonly unknown[], turn?: OrderTurn) => admission.submitAll(bodies, turn),
    /** Places all orders in one frame, or none. */
    submitAtomic: (bodies: readonly unknown[], turn?: OrderTurn) => admission.submitAtomic(bodies, turn),
    /** Receipt of an order accepted earlier; undefined while the view lacks it. */
    receiptOf: (orderHash: OrderHash, turn?: OrderTurn) => {
      const receipt = findReceipt(orderHash).catch(passOverDatabase);
      return turn === undefined ? receipt : turn.whileOut(receipt);
    },
    examine: (body: unknown) => admission.examine(body),
    cancelAll: (wallet: Address, marketId?: MarketId) => commands.cancelOrders(wallet, 'user', marketId),
    /** Sets the dead-man switch; returns its expiry in wall milliseconds, 0 if disarmed. */
    heartbeat: (wallet: Address, timeoutSeconds: number) => switches.set(wallet, timeoutSeconds),
    /** Cancels an order; if `wallet` is given, the order must be that wallet's. */
    cancel: async (marketId: MarketId, orderHash: OrderHash, wallet?: Address) => {
      try {
        const { cancelled, ...receipt } = await commands.cancelOrder(marketId, orderHash, wallet);
        const { remainingSize } = cancelled;
        return { remainingSize, filledSize: reads.order(orderHash)?.filledSize ?? 0, ...receipt };
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
