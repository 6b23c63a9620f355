// A settlement whose journal and engine are stand-ins, and its chain too where a test gives no other: what a node says of fills is given by the test.
import {
  createContracts,
  type Deployment,
  NodeReader,
  type Rpc,
  RpcError,
  type TransactionRequest,
} from '@presage/chain';
import { presageSettlementAbi } from '@presage/contracts';
import type { OrderView, TradeView } from '@presage/engine';
import { type BatchRecord, DEFAULT_TERMS, type MarketId, type OrderHash } from '@presage/protocol';
import { decodeFunctionData, encodeFunctionResult, type Hex, padHex, toFunctionSelector, toHex } from 'viem';
import { DeceptiveWallets } from '../../src/chains/deceptive-wallets.ts';
import { MarketPauses } from '../../src/chains/market-pauses.ts';
import type { TradeChange } from '../../src/host/host-commands.ts';
import { Settlement, type SettlementOptions } from '../../src/settlement/settlement.ts';
import { createContext } from '../chain-context.ts';

const FILL_BYTES = 13;
const MIN_FILL_GAS_SELECTOR = toFunctionSelector('MIN_FILL_GAS()');
const VERSION_SELECTOR = toFunctionSelector('VERSION()');
const MARKET = padHex('0x4d', { size: 32 }) as MarketId;
const ADDRESS = padHex('0x11', { size: 20 });
const BLOCK = {
  number: '0x7',
  hash: padHex('0x07', { size: 32 }),
  parentHash: padHex('0x06', { size: 32 }),
  timestamp: '0x1',
  gasLimit: toHex(60_000_000),
  baseFeePerGas: '0x7',
  logsBloom: '0x',
};

export function fillsIn({ data = '0x' }: Pick<TransactionRequest, 'data'>): number {
  const { args = [] } = decodeFunctionData({ abi: presageSettlementAbi, data });
  return (String(args[2]).length - 2) / 2 / FILL_BYTES;
}

/** Every fill has the same code in a simulation. */
function openRpc(code: number): Rpc {
  return {
    request: async (method, params = []) => {
      if (method === 'eth_getBlockByNumber') return BLOCK;
      if (method === 'eth_getBalance') return toHex(10n ** 18n);
      if (method !== 'eth_call') throw new RpcError(-32601, `the method ${method} does not exist/is not available`);
      const { data } = params[0] as { data: Hex };
      if (data.startsWith(MIN_FILL_GAS_SELECTOR)) return toHex(866_349, { size: 32 });
      if (data.startsWith(VERSION_SELECTOR)) return toHex(3, { size: 32 });
      const result = `0x${code.toString(16).padStart(2, '0').repeat(fillsIn({ data }))}` as const;
      return encodeFunctionResult({ abi: presageSettlementAbi, functionName: 'settleBatch', result });
    },
    batch: () => Promise.reject(new Error('no batch is asked')),
  };
}

export function tradesOf(count: number): Map<string, TradeView> {
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

export interface StandInOptions {
  readonly trades: ReadonlyMap<string, TradeView>;
  readonly sender: SettlementOptions['sender'];
  /** What the simulation says of each fill; zero settles. */
  readonly code?: number;
  readonly changeTrades?: (changes: readonly TradeChange[]) => Promise<void>;
  readonly onBatch?: (batch: BatchRecord) => void;
  /** Rejects where another settler has the chain. */
  readonly confirm?: () => Promise<void>;
  readonly holds?: NonNullable<SettlementOptions['holds']>;
  readonly preparation?: NonNullable<SettlementOptions['preparation']>;
  readonly stops?: NonNullable<SettlementOptions['stops']>;
  /** A real chain instead of one that says `code`. */
  readonly chain?: {
    readonly rpc: Rpc;
    readonly node: NodeReader;
    readonly deployment: Deployment;
    readonly settler: Hex;
    readonly orders: ReadonlyMap<string, OrderView>;
  };
}

function openStandIn(code: number): NonNullable<StandInOptions['chain']> {
  const names = ['settlement', 'conditionalTokens', 'stablecoin', 'marketFactory', 'oracle', 'multicall'] as const;
  const deployment = Object.fromEntries(names.map((name) => [name, ADDRESS])) as Record<(typeof names)[number], Hex>;
  const rpc = openRpc(code);
  return { rpc, node: new NodeReader(rpc), deployment, settler: ADDRESS, orders: new Map() };
}

export function openSettlement(options: StandInOptions): Settlement {
  const { trades, sender, code = 0, changeTrades = async () => undefined, onBatch } = options;
  const { confirm = async () => undefined, holds, preparation, stops } = options;
  const { rpc, node, deployment, settler, orders } = options.chain ?? openStandIn(code);
  const context = createContext({
    rpc,
    node,
    contracts: createContracts({ rpc, deployment }),
    reads: {
      unsettledTrades: () => [...trades.values()],
      trade: (_: MarketId, tradeId: string) => trades.get(tradeId),
      market: () => ({ status: 'open', facts: { expiration: 4_000_000_000 } }),
      order: (orderHash: OrderHash) => orders.get(orderHash) ?? orderOf(orderHash),
    },
    commands: { changeTrades },
    clock: { nowSeconds: () => 1_000_000, nowMs: () => 1_000_000_000 },
    identity: { settlementGraceSeconds: 300 },
    chain: { chainId: 1, batchesInFlight: 8, minTipGwei: 1, maxFeeGwei: 500 },
  });
  return new Settlement(context, {
    settler,
    sender,
    isGone: () => false,
    onRevived: () => undefined,
    journal: {
      batches: { append: async (batch) => onBatch?.(batch) },
      deceptions: { append: () => Promise.reject(new Error('nobody deceives')) },
      confirm,
    },
    previousBatches: [],
    deceptive: new DeceptiveWallets(),
    pauses: new MarketPauses(),
    ...(holds && { holds }),
    ...(preparation && { preparation }),
    stops,
  });
}
