// Batches that a node finds too large: halved until they pass, without losing or repeating a trade.
import type { OperationView, TransactionRequest } from '@presage/chain';
import { waitFor } from '@presage/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import type { Settlement } from '../../src/settlement/settlement.ts';
import { fillsIn, openSettlement, tradesOf } from './settlement-stand-in.ts';

const WORDS = 'transaction gas limit too high (cap: 16777216, tx: 16777217)';

let settlement: Settlement | undefined;
afterEach(() => settlement?.close());

/** A sender whose node takes so many fills at most: others are given up at once, and the nonce is freed a moment later. */
function pickySender(most: number) {
  const views = new Map<string, OperationView>();
  const sent: number[] = [];
  let notify: (view: OperationView) => void = () => undefined;
  const put = (view: OperationView) => {
    views.set(view.operationId, view);
    notify(view);
  };
  return {
    sent,
    port: {
      ready: async () => undefined,
      enqueue: async (request: TransactionRequest) => {
        const { operationId } = request;
        const fills = fillsIn(request);
        const base = { operationId, nonce: sent.push(fills), hash: '0x01', hashes: [], blockNumber: null } as const;
        const view: OperationView = { ...base, blockHash: null, stage: 'submitted', reason: null, final: false };
        put(view);
        if (fills > most) {
          put({ ...view, reason: WORDS });
          setTimeout(() => put({ ...view, reason: WORDS, stage: 'abandoned' }), 5);
        }
        return view;
      },
      status: (operationId: string) => views.get(operationId),
      onChange: (listener: (view: OperationView) => void) => {
        notify = listener;
      },
    },
  };
}

describe('a batch that the node finds too large', () => {
  it('is halved until it passes, and every trade is on its way once', async () => {
    const trades = tradesOf(56);
    const { port, sent } = pickySender(20);
    const carried = new Map<string, string[]>();
    settlement = openSettlement({
      trades,
      sender: port,
      onBatch: ({ batchId, trades: batch }) =>
        void carried.set(
          batchId,
          batch.map(({ tradeId }) => tradeId),
        ),
    });
    settlement.start();
    await waitFor('nothing waits', () => settlement?.queued === 0 && sent.filter((fills) => fills <= 20).length >= 4);
    expect(sent).toEqual([56, 28, 14, 14, 14, 14]);
    const onTheirWay = [...carried].filter(([batchId]) => port.status(batchId)?.reason === null);
    const ids = onTheirWay.flatMap(([, batch]) => batch).toSorted((a, b) => Number(a) - Number(b));
    expect(ids).toEqual([...trades.keys()]);
  });
});
