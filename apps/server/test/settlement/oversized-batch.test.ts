// Batches that a node finds too large: halved until they pass, without losing or repeating a trade.

import { createContracts, type OperationView, type Rpc, RpcError, type TransactionRequest } from '@presage/chain';
import { presageSettlementAbi } from '@presage/contracts';
import type { OrderView, TradeView } from '@presage/engine';
import { DEFAULT_TERMS, type MarketId, type OrderHash } from '@presage/protocol';
import { waitFor } from '@presage/testkit';
import { decodeFunctionData, encodeFunctionResult, type Hex, padHex, toFunctionSelector, toHex } from 'viem';
import { afterEach, describe, expect, it } from 'vitest';
import { DeceptiveWallets } from '../../src/chains/deceptive-wallets.ts';
import { MarketPauses } from '../../src/chains/market-pauses.ts';
import { Settlement } from '../../src/settlement/settlement.ts';
import { createContext } from '../chain-context.ts';

const FILL_BYTES = 13;
const MIN_FILL_GAS_SELECTOR = toFunctionSelector('MIN_FILL_GAS()');
const VERSION_SELECTOR = toFunctionSelector('VERSION()');
const MARKET = padHex('0x4d', { size: 32 }) as MarketId;
const ADDRESS = padHex('0x11', { size: 20 });
const WORDS = 'transaction gas limit too high (cap: 16777216, tx: 16777217)';

let settlement: Settlement | undefined;
afterEach(() => settlement?.close());

function fillsIn(data: Hex): number {
  const { args = [] } = decodeFunctionData({ abi: presageSettlementAbi, data });
  return (String(args[2]).length - 2) / 2 / FILL_BYTES;
}

/** Everything settles in a simulation. */
const rpc: Rpc = {
  request: async (method, params = []) => {
    if (method === 'eth_getBlockByNumber') return { gasLimit: toHex(60_000_000), baseFeePerGas: '0x7' };
    if (method === 'eth_getBalance') return toHex(10n ** 18n);
    if (method !== 'eth_call') throw new RpcError(-32601, `the method ${method} does not exist/is not available`);
    const { data } = params[0] as { data: Hex };
    if (data.startsWith(MIN_FILL_GAS_SELECTOR)) return toHex(866_349, { size: 32 });
    if (data.startsWith(VERSION_SELECTOR)) return toHex(3, { size: 32 });
    const result = `0x${'00'.repeat(fillsIn(data))}` as const;
    return encodeFunctionResult({ abi: presageSettlementAbi, functionName: 'settleBatch', result });
  },
  batch: () => Promise.reject(new Error('no batch is asked')),
};

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
      enqueue: async ({ operationId, data = '0x' }: TransactionRequest) => {
        const fills = fillsIn(data);
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

function tradesOf(count: number): Map<string, TradeView> {
  const trade = (index: number) => ({
    tradeId: String(index),
    marketId: MARKET,
    price: 500_000,
    size: 1_000_000,
    takerSide: 0,
    timeMs: index,
    stage: 'matched',
    makerHash: toHex(2 * index, { size: 32 }),
    takerHash: toHex(2 * index + 1, { size: 32 }),
    buyer: toHex(2 * index + 1, { size: 20 }),
    seller: toHex(2 * index, { size: 20 }),
  });
  return new Map(Array.from({ length: count }, (_, index) => [String(index), trade(index) as unknown as TradeView]));
}

function orderOf(orderHash: OrderHash): OrderView {
  const number = Number(orderHash);
  const order = { marketId: MARKET, trader: toHex(number, { size: 20 }), side: 1 - (number % 2), outcome: 0 };
  const amounts = { price: 500_000, size: 1_000_000, nonce: 1n, expiration: 4_000_000_000n };
  const signature = `0x${'1b'.repeat(65)}`;
  return { signed: { orderHash, order: { ...order, ...amounts }, signature, terms: DEFAULT_TERMS } } as never;
}

describe('a batch that the node finds too large', () => {
  it('is halved until it passes, and every trade is on its way once', async () => {
    const trades = tradesOf(56);
    const { port, sent } = pickySender(20);
    const names = ['settlement', 'conditionalTokens', 'stablecoin', 'marketFactory', 'oracle', 'multicall'] as const;
    const deployment = Object.fromEntries(names.map((name) => [name, ADDRESS])) as Record<(typeof names)[number], Hex>;
    const carried = new Map<string, string[]>();
    const context = createContext({
      rpc,
      contracts: createContracts({ rpc, deployment }),
      reads: {
        unsettledTrades: () => [...trades.values()],
        trade: (_: MarketId, tradeId: string) => trades.get(tradeId),
        order: orderOf,
      },
      commands: { changeTrades: async () => undefined },
      clock: { nowSeconds: () => 1_000_000 },
      identity: { settlementGraceSeconds: 300 },
      chain: { chainId: 1, batchesInFlight: 8, minTipGwei: 1, maxFeeGwei: 500 },
    });
    settlement = new Settlement(context, {
      settler: ADDRESS,
      sender: port,
      journal: {
        batches: {
          append: async ({ batchId, trades: batch }) =>
            void carried.set(
              batchId,
              batch.map(({ tradeId }) => tradeId),
            ),
        },
        deceptions: { append: () => Promise.reject(new Error('nobody deceives')) },
      },
      previousBatches: [],
      deceptive: new DeceptiveWallets(),
      pauses: new MarketPauses(),
    });
    settlement.start();
    await waitFor('nothing waits', () => settlement?.queued === 0 && sent.filter((fills) => fills <= 20).length >= 4);
    expect(sent).toEqual([56, 28, 14, 14, 14, 14]);
    const onTheirWay = [...carried].filter(([batchId]) => port.status(batchId)?.reason === null);
    const ids = onTheirWay.flatMap(([, batch]) => batch).toSorted((a, b) => Number(a) - Number(b));
    expect(ids).toEqual([...trades.keys()]);
  });
});
