// Orders at the counter: admission for what comes in, the host for what goes out, the view for what is long gone.
import type { Engine } from '@presage/engine';
import { type MarketId, type OrderHash, PresageError } from '@presage/protocol';
import type { Admission } from './admission/admission.ts';
import type { CancelledOrder, OrderDesk } from './api/services.ts';
import type { HostCommands } from './host/host-commands.ts';
import type { Views } from './projections/views.ts';

export interface OrderDeskOptions {
  readonly admission: Admission;
  readonly commands: HostCommands;
  readonly reads: Engine;
  readonly views: Views;
}

export function createOrderDesk({ admission, commands, reads, views }: OrderDeskOptions): OrderDesk {
  const cancel = async (marketId: MarketId, orderHash: OrderHash): Promise<CancelledOrder> => {
    const { remainingSize } = await commands.cancelOrder(marketId, orderHash);
    return { remainingSize, filledSize: reads.order(orderHash)?.filledSize ?? 0 };
  };
  return {
    submit: (body) => admission.submit(body),
    cancel: async (marketId, orderHash) => {
      try {
        return await cancel(marketId, orderHash);
      } catch (error) {
        if (!(error instanceof PresageError) || error.code !== 'order_not_found') throw error;
        // The engine forgets what is final; the view never does.
        const row = await views.order(orderHash);
        if (row?.marketId !== marketId) throw new PresageError('order_not_found', { orderHash, marketId });
        throw new PresageError('order_not_open', { status: row.status });
      }
    },
  };
}
