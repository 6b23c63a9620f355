// A steady stream of orders for each partition, sent whether or not earlier ones were answered: what is not answered in time shows as an outage.
import { setTimeout as sleep } from 'node:timers/promises';
import { type MarketId, marketPartitionName, parseJson, partitionOfMarket, stringifyJson } from '@presage/protocol';
import {
  type OrderAnswerBody,
  type SeededRandom,
  type TestClient,
  type WireSubmission,
  walletOf,
} from '@presage/testkit';
import type { KeptReceipt } from '../../../../packages/sdk/src/verify/index.ts';
import { Outages } from './outages.ts';

export interface OrderStreamsOptions {
  readonly random: SeededRandom;
  /** Signs the orders. */
  readonly signer: TestClient;
  /** Where orders are sent: a balancer, or several gateways of which each attempt takes the next. */
  readonly urls: readonly string[];
  readonly markets: readonly MarketId[];
  readonly partitions: number;
  /** Orders per second of all streams together. */
  readonly rate: number;
}

type Answer = OrderAnswerBody & Partial<Pick<KeptReceipt, 'receipt'>>;

interface Answered {
  readonly submission: WireSubmission;
  readonly answer: Answer;
}

/** A careful client repeats at once: the pause only keeps a refused connection from turning into a busy loop. */
const RETRY_MS = 20;
const ATTEMPT_MS = 20_000;

export class OrderStreams {
  readonly outages = new Outages();
  readonly answered: Answered[] = [];
  /** `Presage-Position` of the last answer. */
  position: string | undefined;
  readonly #options: OrderStreamsOptions;
  readonly #sent = new Set<Promise<void>>();
  #attempts = 0;
  #isStopped = false;

  constructor(options: OrderStreamsOptions) {
    this.#options = options;
  }

  /** Markets by the partition that decides on them. */
  get #byPartition(): Map<string, MarketId[]> {
    const { markets, partitions } = this.#options;
    const found = new Map<string, MarketId[]>();
    for (const id of markets) {
      const name = marketPartitionName(partitionOfMarket(id, partitions));
      found.set(name, [...(found.get(name) ?? []), id]);
    }
    return found;
  }

  get partitions(): readonly string[] {
    return [...this.#byPartition.keys()];
  }

  get receipts(): KeptReceipt[] {
    return this.answered.flatMap(({ answer: { orderHash, receipt } }) => (receipt ? [{ orderHash, receipt }] : []));
  }

  /** Hashes of orders whose answer had no receipt: the first one and every repetition must have it. */
  get withoutReceipt(): string[] {
    return this.answered.flatMap(({ answer }) => (answer.receipt === undefined ? [answer.orderHash] : []));
  }

  /** Ids of trades that two answers name. */
  get doubledTrades(): string[] {
    const trades = this.answered.flatMap(({ answer }) => answer.trades.map(({ tradeId }) => tradeId));
    return trades.filter((id, index) => trades.indexOf(id) !== index);
  }

  stop(): void {
    this.#isStopped = true;
  }

  /** Resolves when it was stopped and every order is answered. */
  async run(): Promise<void> {
    const streams = [...this.#byPartition];
    const periodMs = (1_000 * streams.length) / this.#options.rate;
    await Promise.all(streams.map(([name, markets], index) => this.#stream(name, markets, { index, periodMs })));
    while (this.#sent.size > 0) await Promise.all(this.#sent);
  }

  async #stream(partition: string, markets: readonly MarketId[], pace: Pace): Promise<void> {
    const { random, signer } = this.#options;
    const wallets = (['buy', 'sell'] as const).map((side) => walletOf(`stream ${partition} ${side}`));
    let dueMs = performance.now() + (pace.index * pace.periodMs) / 7;
    for (let count = 0; !this.#isStopped; count++, dueMs += pace.periodMs) {
      // One of four rests until the next of four takes it; the others leave no trace in the book.
      const isTrade = count % 4 < 2;
      const side = count % 2 === 0 ? 'buy' : 'sell';
      const market = markets[Math.floor(count / 4) % markets.length] as MarketId;
      const price = isTrade ? '0.5' : side === 'buy' ? '0.1' : '0.9';
      const terms = isTrade ? {} : ({ timeInForce: 'IOC' } as const);
      const size = String(random.int(1, 5));
      const wallet = wallets[count % 2]!;
      const submission = await signer.signOrder(wallet, { market, side, price, size, ...terms });
      await sleep(Math.max(0, dueMs - performance.now()));
      const sent = this.#send(partition, submission).finally(() => this.#sent.delete(sent));
      this.#sent.add(sent);
      // A process that was held up does not send a burst afterwards.
      dueMs = Math.max(dueMs, performance.now() - pace.periodMs);
    }
  }

  async #send(partition: string, submission: WireSubmission): Promise<void> {
    const answered = this.outages.begin(partition);
    const text = stringifyJson(submission);
    for (;;) {
      const answer = await this.#post(text);
      if (answer !== undefined) {
        answered();
        this.answered.push({ submission, answer });
        return;
      }
      await sleep(RETRY_MS);
    }
  }

  /** Undefined where the same request is to be sent again. */
  async #post(text: string): Promise<Answer | undefined> {
    const { urls } = this.#options;
    const url = urls[this.#attempts++ % urls.length]!;
    const headers = { 'content-type': 'application/json' };
    const init = { method: 'POST', body: text, headers, signal: AbortSignal.timeout(ATTEMPT_MS) };
    const answer = await fetch(`${url}/api/v1/orders`, init)
      .then(async (response) => ({ status: response.status, headers: response.headers, text: await response.text() }))
      .catch(() => undefined);
    if (answer === undefined) {
      this.outages.note('connection lost');
      return undefined;
    }
    const body = parseJson(answer.text) as Answer & { code?: string };
    if (answer.status === 200) {
      this.position = answer.headers.get('presage-position') ?? this.position;
      return body;
    }
    this.outages.note(`${answer.status} ${body.code}`);
    // 425 comes from a node that was started again and is not ready yet.
    if (answer.status < 500 && answer.status !== 425) throw new Error(`refused: ${answer.text}`);
    return undefined;
  }
}

interface Pace {
  readonly index: number;
  readonly periodMs: number;
}
