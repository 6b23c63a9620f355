// A fallback source: an exchange's public trades over one WebSocket for all assets it lists.
import type { AssetFeeds } from '@presage/protocol';
import { WebSocket } from 'ws';
import type { PriceSource, Quote } from './ports.ts';
import type { SocketDialect } from './socket-dialects.ts';
import { parseRetryAfterMs, SourceRefused, SourceRunner } from './source-runner.ts';

export interface SocketSourceOptions {
  readonly dialect: SocketDialect;
  readonly url: string;
  readonly assets: readonly AssetFeeds[];
  /** Offset of the service clock from wall time; exchanges use wall time. */
  readonly offsetMs: () => number;
  /** Silence after which the connection counts as dead. */
  readonly silenceMs?: number;
  readonly onQuote: (quote: Quote) => void;
  readonly onTrouble: (error: unknown) => void;
}

const HANDSHAKE_MS = 5_000;
/** Default silence; busy pairs trade every second. */
const SILENCE_MS = 20_000;
/** Limit on a message; a ticker is half a kilobyte. */
const MAX_MESSAGE_BYTES = 64 * 1024;

export class SocketSource extends SourceRunner implements PriceSource {
  readonly name: 'coinbase' | 'binance';
  readonly #options: SocketSourceOptions;
  readonly #assets: ReadonlyMap<string, string>;

  constructor(options: SocketSourceOptions) {
    super(options.onTrouble);
    const { dialect, assets } = options;
    this.name = dialect.name;
    this.#options = options;
    const known = assets.flatMap((feeds) => {
      const symbol = dialect.symbolOf(feeds);
      return symbol === undefined ? [] : [[symbol, feeds.asset] as const];
    });
    this.#assets = new Map(known);
  }

  urlOf(asset: string): string {
    const symbols = [...this.#assets].filter(([, name]) => name === asset).map(([symbol]) => symbol);
    return this.#options.dialect.urlOf(this.#options.url, symbols);
  }

  knows(asset: string): boolean {
    return [...this.#assets.values()].includes(asset);
  }

  override start(): void {
    if (this.#assets.size > 0) super.start();
  }

  protected connect(signal: AbortSignal, onGood: () => void): Promise<void> {
    const { dialect, url, silenceMs = SILENCE_MS } = this.#options;
    const symbols = [...this.#assets.keys()];
    const socket = new WebSocket(dialect.urlOf(url, symbols), {
      handshakeTimeout: HANDSHAKE_MS,
      maxPayload: MAX_MESSAGE_BYTES,
      perMessageDeflate: false,
    });
    const cut = () => socket.terminate();
    signal.addEventListener('abort', cut);
    const watch = setTimeout(cut, silenceMs).unref();
    return new Promise<void>((resolve, reject) => {
      socket.on('open', () => {
        const subscribeMessage = dialect.subscribeMessage(symbols);
        if (subscribeMessage !== undefined) socket.send(subscribeMessage);
      });
      socket.on('message', (data) => {
        watch.refresh();
        this.#take(String(data), onGood);
      });
      socket.on('unexpected-response', (_request, { statusCode = 0, headers }) => {
        reject(new SourceRefused(statusCode, parseRetryAfterMs(headers['retry-after'])));
        cut();
      });
      socket.on('error', reject);
      socket.on('close', (code) => (code === 1_000 ? resolve() : reject(new Error(`closed with ${code}`))));
    }).finally(() => {
      clearTimeout(watch);
      signal.removeEventListener('abort', cut);
    });
  }

  #take(text: string, onGood: () => void): void {
    const { dialect, offsetMs, onQuote, onTrouble } = this.#options;
    const tick = dialect.read(text);
    if (tick === 'other') return;
    if (tick instanceof Error) {
      onTrouble(tick);
      return;
    }
    const asset = this.#assets.get(tick.symbol);
    if (asset === undefined) return;
    onGood();
    onQuote({ asset, price: tick.price, timeMs: tick.timeMs + offsetMs(), source: this.name, simulated: false });
  }
}
