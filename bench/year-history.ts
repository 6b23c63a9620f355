// A year of quick markets as a journal: each is listed, traded, closed and resolved, and its trades are final.
import { Engine } from '@presage/engine';
import { FileJournal } from '@presage/journal';
import {
  BUY,
  DEFAULT_TERMS,
  type EngineCommand,
  type EngineEvent,
  encodeRecord,
  type Hex,
  isJournalled,
  type MarketFacts,
  type MarketId,
  type MarketResolution,
  NO,
  type PlaceOrder,
  SELL,
  type Side,
  toPrice,
  toSize,
  YES,
  ZERO_ADDRESS,
} from '@presage/protocol';
import { marketFacts, SeededRandom } from '@presage/testkit';

/** Half of a quick market's window: two assets make two markets per window, which are consecutive here. */
const WINDOW_SECONDS = 450;
/** Longer than the engine remembers a confirmed trade. */
const REST_MS = 3_600_000;
const WALLETS = 500;
const FRAME_RECORDS = 500;

export interface YearShape {
  readonly markets: number;
  readonly trades: number;
  /** End of the history. */
  readonly endMs: number;
}

/** Writes into the empty folder of a partition. */
export async function writeYear(dir: string, { markets, trades, endMs }: YearShape): Promise<void> {
  const history = new History(await FileJournal.open({ dir, partition: 'm0' }));
  const endSeconds = Math.floor((endMs - REST_MS) / 1_000);
  for (let index = 0; index < markets; index++) {
    const startMs = (endSeconds - (markets - index) * WINDOW_SECONDS) * 1_000;
    const share = Math.floor(((index + 1) * trades) / markets) - Math.floor((index * trades) / markets);
    await history.live(index, startMs, share);
  }
  await history.close();
}

class History {
  readonly #journal: FileJournal;
  readonly #engine = new Engine();
  readonly #random = new SeededRandom(32);
  readonly #wallets = Array.from({ length: WALLETS }, () => this.#random.hex(20));
  #waiting: EngineEvent[] = [];
  #nonce = 0n;
  #timeMs = 0;

  constructor(journal: FileJournal) {
    this.#journal = journal;
  }

  /** The whole life of one market, before the next begins. */
  async live(index: number, startMs: number, trades: number): Promise<void> {
    this.#timeMs = startMs;
    const market = this.#makeFacts(index, startMs);
    const { marketId } = market;
    this.#apply({ type: 'list-market', timeMs: startMs, market });
    for (let trade = 1; trade <= trades; trade++) this.#trade(market);
    this.#timeMs = market.expiration * 1_000;
    this.#apply({ type: 'tick', timeMs: this.#timeMs });
    const resolution = this.#makeResolution(index);
    this.#apply({ type: 'change-resolution', timeMs: this.#timeMs, marketId, resolution });
    if (this.#waiting.length >= FRAME_RECORDS) await this.#write();
  }

  async close(): Promise<void> {
    await this.#write();
    await this.#journal.close();
  }

  #trade({ marketId, expiration }: MarketFacts): void {
    const price = this.#random.int(100, 900) * 1_000;
    this.#apply(this.#makeOrder(marketId, expiration, SELL, price));
    const matched = this.#apply(this.#makeOrder(marketId, expiration, BUY, price));
    const settlement = {
      transactionHash: this.#random.hex(32),
      batchIndex: 0,
      isBatch: true,
      attempt: 1,
      blockNumber: 7,
    };
    for (const event of matched) {
      if (event.type !== 'trade-matched') continue;
      const { tradeId } = event;
      for (const stage of ['submitted', 'mined', 'confirmed'] as const) {
        const move = { type: 'move-trade' as const, timeMs: this.#timeMs, marketId, tradeId, stage };
        this.#apply(stage === 'mined' ? { ...move, settlement } : move);
      }
    }
  }

  #makeOrder(marketId: MarketId, expiration: number, side: Side, price: number): PlaceOrder {
    const orderHash = this.#random.hex(32);
    const order = {
      marketId,
      trader: this.#random.pick(this.#wallets),
      side,
      outcome: 0 as const,
      price: toPrice(price),
      size: toSize(1_000_000),
      nonce: this.#nonce++,
      expiration: BigInt(expiration),
      makerFeeRecipient: ZERO_ADDRESS,
    };
    const signature: Hex = `0x${orderHash.slice(2).repeat(2)}1b`;
    return { type: 'place-order', timeMs: this.#timeMs, orderHash, order, signature, terms: DEFAULT_TERMS };
  }

  #makeFacts(index: number, startMs: number): MarketFacts {
    const random = this.#random;
    const start = startMs / 1_000;
    const asset = index % 2 === 0 ? 'BTC' : 'ETH';
    const end = new Date(startMs + WINDOW_SECONDS * 1_000).toISOString();
    const price = `$${(60_000 + random.int(0, 900_000) / 100).toLocaleString('en')}`;
    return marketFacts({
      marketId: random.hex(32),
      kind: 'quick',
      contractAddress: random.hex(20),
      question: `Will ${asset} be at or above ${price} at ${end.slice(11, 16)} UTC on ${end.slice(0, 10)}?`,
      description:
        `Resolves YES if the price of ${asset} at ${end.slice(11, 16)} UTC is at or above ${price}, its price at the start, ` +
        "and NO if it is below. Each price is the oracle's first at or after its time, proved on chain.",
      expiration: start + WINDOW_SECONDS,
      createdAt: start - 60,
      yesTokenId: BigInt(random.hex(32)).toString(),
      noTokenId: BigInt(random.hex(32)).toString(),
      blockNumber: index,
      transactionHash: random.hex(32),
    });
  }

  #makeResolution(index: number): MarketResolution {
    const resolvedAt = { blockNumber: index, blockHash: this.#random.hex(32), transactionHash: this.#random.hex(32) };
    const isYes = index % 3 === 0;
    const payouts = isYes ? ([1_000_000, 0] as const) : ([0, 1_000_000] as const);
    return { status: 'resolved', round: 0, history: [], payouts, winningOutcome: isYes ? YES : NO, resolvedAt };
  }

  #apply(command: EngineCommand): EngineEvent[] {
    const events = this.#engine.apply(command).filter(isJournalled);
    this.#waiting.push(...events);
    return events;
  }

  async #write(): Promise<void> {
    if (this.#waiting.length === 0) return;
    await this.#journal.append(this.#waiting.map(encodeRecord), this.#timeMs);
    this.#waiting = [];
  }
}
