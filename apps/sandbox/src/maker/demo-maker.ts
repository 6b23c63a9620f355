// The demo maker: updates its quotes in every open market in turn, and lets a crowd of small takers trade now and then.
import { sleep } from '@presage/runtime';
import {
  type OpenOrder,
  type OrderParams,
  PresageApiError,
  type PublicClient,
  type SandboxClient,
  type TradingClient,
} from '@presage/sdk';
import { MarketWatch, type PricedMarket } from './market-watch.ts';
import { diffQuotes, planQuotes, type Quote, type RestingOrder } from './quotes.ts';

export interface DemoMakerOptions {
  readonly reader: PublicClient;
  readonly maker: TradingClient;
  /** Takers join one per round, beginning with the first round. */
  readonly takers: readonly TradingClient[];
  readonly sandbox: SandboxClient;
  /** Random number from 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number;
  readonly onTrouble: (error: unknown) => void;
}

const ROUND_MS = 2_000;
/** The service cancels the quotes after this long without a heartbeat, so that a killed maker leaves no stale prices. */
const SILENCE_SECONDS = 15;
const FUNDS = '1000000';
const LOW_FUNDS = 300_000_000_000n;
const FUNDS_EVERY_ROUNDS = 30;
/** Probability that a taker trades in a round. */
const TAKE_CHANCE = 0.15;
/** Refusals that need no handling, because the next round resolves them: the market or the sandbox's clock moved between read and order. */
const PASSING = new Set([
  'expiration_too_soon',
  'would_cross',
  'market_closed',
  'market_not_found',
  'price_unavailable',
  'order_not_open',
  'order_not_found',
]);

export class DemoMaker {
  readonly #options: DemoMakerOptions;
  readonly #watch: MarketWatch;
  readonly #stop = new AbortController();
  #loop: Promise<void> = Promise.resolve();
  #round = 0;

  constructor(options: DemoMakerOptions) {
    this.#options = options;
    this.#watch = new MarketWatch(options.reader);
  }

  /** Rounds played without a failure. */
  get rounds(): number {
    return this.#round;
  }

  start(): void {
    this.#loop = this.#run();
  }

  /** Stops, and cancels the quotes if the service can be reached. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#loop;
    await this.#options.maker.cancelAll().catch(this.#options.onTrouble);
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const startMs = performance.now();
      try {
        await this.#play();
        this.#round++;
      } catch (error) {
        if (!this.#stop.signal.aborted) this.#options.onTrouble(error);
      }
      await sleep(Math.max(0, ROUND_MS - (performance.now() - startMs)), this.#stop.signal).catch(() => undefined);
    }
  }

  async #play(): Promise<void> {
    const { maker } = this.#options;
    if (this.#round % FUNDS_EVERY_ROUNDS === 0) await this.#fund(maker);
    const joining = this.#options.takers[this.#round % FUNDS_EVERY_ROUNDS];
    if (joining !== undefined) await this.#fund(joining);
    await maker.heartbeat(SILENCE_SECONDS, { signal: this.#stop.signal });
    const [markets, { orders }, inventories] = await Promise.all([
      this.#watch.look(),
      maker.listOrders(maker.address),
      this.#inventories(),
    ]);
    for (const priced of markets) {
      if (this.#stop.signal.aborted) return;
      const own = orders.filter(({ marketId }) => marketId === priced.market.id);
      await this.#quote(priced, inventories.get(priced.market.id) ?? 0, own);
    }
    for (const taker of this.#options.takers.slice(0, this.#round + 1))
      if (this.#options.random() < TAKE_CHANCE) await this.#take(taker, markets);
  }

  /** Cancels first: otherwise the new quotes could meet the old ones. */
  async #quote({ market, fair }: PricedMarket, inventory: number, own: readonly OpenOrder[]): Promise<void> {
    const { maker } = this.#options;
    const { cancel, place } = diffQuotes(planQuotes(fair, inventory), own.map(toResting));
    for (const orderHash of cancel) await this.#unlessPassing(maker.cancel(orderHash, { marketId: market.id }));
    if (place.length === 0) return;
    const results = await maker.placeOrders(place.map((quote) => toOrderParams(market.id, quote)));
    for (const result of results) if (result instanceof PresageApiError) this.#judge(result);
  }

  /** Sends a small immediate order at the best price of a random side of a random market. */
  async #take(taker: TradingClient, markets: readonly PricedMarket[]): Promise<void> {
    const { reader, random } = this.#options;
    const chosen = markets[Math.floor(random() * markets.length)];
    if (chosen === undefined) return;
    const [outcome, side] = [random() < 0.5 ? 'YES' : 'NO', random() < 0.6 ? 'buy' : 'sell'] as const;
    const { bids, asks } = await reader.getOrderbook(chosen.market.id, { outcome });
    const best = (side === 'buy' ? asks : bids)[0];
    if (best === undefined) return;
    const size = BigInt(1 + Math.floor(random() * 60)) * 1_000_000n;
    const wanted = { marketId: chosen.market.id, outcome, side, price: BigInt(best.price), size };
    await this.#unlessPassing(taker.placeOrder({ ...wanted, timeInForce: 'IOC', expiresIn: 300 }));
  }

  async #fund(client: TradingClient): Promise<void> {
    const { chains } = await client.getConfig();
    for (const { chainId } of chains) {
      const { balance } = await client.getBalances(client.address, { chain_id: chainId });
      if (BigInt(balance) < LOW_FUNDS) await this.#options.sandbox.fund(client.address, FUNDS, { chainId });
      await client.setup({ chainId });
    }
  }

  /** Inventory by market: YES less NO shares. */
  async #inventories(): Promise<Map<string, number>> {
    const { maker } = this.#options;
    const { chains } = await maker.getConfig();
    const lists = chains.map(({ chainId }) => maker.listPositions(maker.address, { chain_id: chainId }));
    const positions = (await Promise.all(lists)).flatMap((list) => list.positions);
    return new Map(
      positions.map(({ marketId, yesShares, noShares }) => [marketId, Number(yesShares) - Number(noShares)]),
    );
  }

  async #unlessPassing(work: Promise<unknown>): Promise<void> {
    try {
      await work;
    } catch (error) {
      this.#judge(error);
    }
  }

  #judge(error: unknown): void {
    if (error instanceof PresageApiError && PASSING.has(error.code)) return;
    throw error;
  }
}

function toResting({ orderHash, outcome, side, price, remainingSize }: OpenOrder): RestingOrder {
  return {
    orderHash,
    price: Number(price),
    remainingSize: Number(remainingSize),
    outcome: outcome === 0 ? 'YES' : 'NO',
    side: side === 0 ? 'buy' : 'sell',
  };
}

/** Post-only, because a maker whose quote would take has misread the book. */
function toOrderParams(marketId: string, { outcome, side, price, size }: Quote): OrderParams {
  return { marketId, outcome, side, price: BigInt(price), size: BigInt(size), postOnly: true, expiresIn: 3_600 };
}
