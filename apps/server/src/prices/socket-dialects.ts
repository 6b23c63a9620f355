// WebSocket protocols of the fallbacks: URL, subscription and format of trades.
import { type AssetFeeds, isObject } from '@presage/protocol';
import { priceFromDecimal } from './exact-price.ts';

interface Tick {
  /** Source's own name of the asset. */
  readonly symbol: string;
  readonly price: number;
  /** Wall time. */
  readonly timeMs: number;
}

export interface SocketDialect {
  readonly name: 'coinbase' | 'binance';
  symbolOf(feeds: AssetFeeds): string | undefined;
  urlOf(base: string, symbols: readonly string[]): string;
  /** Message to send once connected; undefined if none is needed. */
  subscribeMessage(symbols: readonly string[]): string | undefined;
  /** Parses a message: a tick, `other` if irrelevant, or an Error for a refusal or garbage. */
  read(text: string): Tick | 'other' | Error;
}

/** Coinbase Exchange, channel `ticker`: the last trade's price, sent on subscription and with every trade. */
export const COINBASE: SocketDialect = {
  name: 'coinbase',
  symbolOf: ({ coinbase }) => coinbase,
  urlOf: (base) => base,
  subscribeMessage: (symbols) => JSON.stringify({ type: 'subscribe', product_ids: symbols, channels: ['ticker'] }),
  read: (text) => {
    const message = parseObject(text);
    if (message instanceof Error) return message;
    if (message.type === 'error')
      return new Error(`coinbase: ${String(message.message)} ${String(message.reason ?? '')}`);
    if (message.type !== 'ticker') return typeof message.type === 'string' ? 'other' : garbage(text);
    return toTick(message.product_id, message.price, Date.parse(String(message.time))) ?? garbage(text);
  },
};

/** Binance, `<symbol>@trade` of each asset in one combined stream. */
export const BINANCE: SocketDialect = {
  name: 'binance',
  symbolOf: ({ binance }) => binance,
  urlOf: (base, symbols) => `${base}/stream?streams=${symbols.map((name) => `${name.toLowerCase()}@trade`).join('/')}`,
  subscribeMessage: () => undefined,
  read: (text) => {
    const message = parseObject(text);
    if (message instanceof Error) return message;
    const { data: trade } = message;
    if (!isObject(trade)) return 'result' in message ? 'other' : garbage(text);
    if (trade.e !== 'trade') return 'other';
    return toTick(trade.s, trade.p, Number(trade.T)) ?? garbage(text);
  },
};

function parseObject(text: string): Readonly<Record<string, unknown>> | Error {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : garbage(text);
  } catch {
    return garbage(text);
  }
}

function toTick(symbol: unknown, decimal: unknown, timeMs: number): Tick | undefined {
  const price = priceFromDecimal(decimal);
  if (typeof symbol !== 'string' || price === undefined || !Number.isSafeInteger(timeMs)) return undefined;
  return { symbol, price, timeMs };
}

function garbage(text: string): Error {
  return new Error(`not understood: ${text.slice(0, 80)}`);
}
