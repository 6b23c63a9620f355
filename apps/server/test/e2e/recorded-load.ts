// Writers that trade until the service is taken from under them, and the record of what they were answered.
import { setTimeout as sleep } from 'node:timers/promises';
import type { MarketId } from '@presage/protocol';
import {
  isLongRun,
  type OrderAnswerBody,
  type SeededRandom,
  type TestClient,
  type WireSubmission,
  waitFor,
  walletOf,
} from '@presage/testkit';

export interface AnsweredOrder {
  readonly submission: WireSubmission;
  readonly answer: OrderAnswerBody;
}

interface Refusal {
  readonly code: string;
  readonly details?: { readonly reason?: string };
}

/** Buyers only buy YES and sellers only sell it: so balances follow from the trades, in whatever order they settle. */
export const BUYERS = ['a', 'b', 'c'].map((name) => walletOf(`killed buyer ${name}`));
export const SELLERS = ['a', 'b', 'c'].map((name) => walletOf(`killed seller ${name}`));

const PRICES = ['0.49', '0.5', '0.51'];
/** Far from the others: orders of a batch that only rests. */
const RESTING = { buy: '0.2', sell: '0.8' } as const;
const BATCHES = 0.15;
/** The pause of each writer: some of them have an order under way when something is killed, and every one is compared in the end. */
const PAUSE_MS = isLongRun ? 3 : 40;

/** Status of a node that starts or stands by: nothing was done. */
const RECOVERING = 425;

export class RecordedLoad {
  readonly answered: AnsweredOrder[] = [];
  readonly cancelled: string[] = [];
  /** Orders refused with 503. */
  readonly refused: Refusal[] = [];
  /** Orders that may have been accepted or not: the line went dead, or the journal failed while they were written. */
  readonly unanswered: WireSubmission[] = [];
  /** The same of atomic batches. */
  readonly unansweredBatches: WireSubmission[][] = [];
  readonly #random: SeededRandom;
  readonly #pauseMs: number;
  #current = { isStopped: true };

  /** `pauseMs` is that of each writer between two orders. */
  constructor(random: SeededRandom, pauseMs = PAUSE_MS) {
    this.#random = random;
    this.#pauseMs = pauseMs;
  }

  /** No order is begun any more. */
  stop(): void {
    this.#current.isStopped = true;
  }

  /** Resolves when it is stopped, or the service has stopped. */
  async run(client: TestClient, market: MarketId): Promise<void> {
    // A failed try of a test may have left the load running.
    this.stop();
    const current = { isStopped: false };
    this.#current = current;
    await Promise.all([...BUYERS, ...SELLERS].map((wallet) => this.#write(client, market, wallet, current)));
  }

  /** Resolves in the middle of things, when so many more were answered. */
  async answers(count: number): Promise<void> {
    const enough = this.answered.length + count;
    await waitFor(`${enough} are answered`, () => this.answered.length >= enough, { pollMs: 2, timeoutMs: 60_000 });
  }

  /** What a careful client does after a crash: it posts again whatever was never answered. */
  async resolveUnanswered(client: TestClient): Promise<void> {
    for (const submission of this.unanswered.splice(0)) {
      const { status, body } = await client.post<OrderAnswerBody>('/api/v1/orders', submission);
      if (status !== 200) throw new Error(`posted again, an order was refused with ${status}: ${JSON.stringify(body)}`);
      this.answered.push({ submission, answer: body });
    }
    // One of which only a part had been placed would be refused now.
    for (const batch of this.unansweredBatches.splice(0)) {
      if ((await this.#postBatch(client, batch)) !== true)
        throw new Error('a batch was not answered when it was posted again');
    }
  }

  async #write(
    client: TestClient,
    market: MarketId,
    wallet: (typeof BUYERS)[number],
    current: { readonly isStopped: boolean },
  ): Promise<void> {
    const side = BUYERS.includes(wallet) ? 'buy' : 'sell';
    while (!current.isStopped) {
      const [price, size] = [this.#random.pick(PRICES), String(this.#random.int(1, 5))];
      const submission = await client.signOrder(wallet, { market, side, price, size });
      const answer = await this.#post(client, submission);
      if (answer === undefined) return;
      const isToCancel = answer !== 'later' && answer.orderStatus === 'open' && this.#random.chance(0.1);
      if (isToCancel && !(await this.#cancel(client, answer, market))) return;
      if (this.#random.chance(BATCHES)) {
        const sign = () => client.signOrder(wallet, { market, side, price: RESTING[side], size: '1', postOnly: true });
        if ((await this.#postBatch(client, [await sign(), await sign()])) === undefined) return;
      }
      await sleep(this.#pauseMs);
    }
  }

  /** All of it is placed, or nothing. False when it was refused as something that may be tried again; undefined when the line went dead. */
  async #postBatch(client: TestClient, batch: WireSubmission[]): Promise<boolean | undefined> {
    const request = { orders: batch, atomic: true };
    const answer = await client
      .post<{ results: OrderAnswerBody[] }>('/api/v1/orders/batch', request)
      .catch(() => undefined);
    if (answer === undefined || answer.status === 503) this.unansweredBatches.push(batch);
    if (answer === undefined) return undefined;
    if (answer.status === 503 || answer.status === RECOVERING) return false;
    if (answer.status !== 200) throw new Error(`a batch was refused: ${JSON.stringify(answer.body)}`);
    for (const [index, submission] of batch.entries())
      this.answered.push({ submission, answer: answer.body.results[index]! });
    return true;
  }

  /** `later` when it was refused as something that may be tried again. */
  async #post(client: TestClient, submission: WireSubmission): Promise<OrderAnswerBody | 'later' | undefined> {
    const answer = await client.post<OrderAnswerBody>('/api/v1/orders', submission).catch(() => undefined);
    if (answer === undefined) {
      this.unanswered.push(submission);
      return undefined;
    }
    if (answer.status === RECOVERING) return 'later';
    if (answer.status === 503) {
      const refusal = answer.body as unknown as Refusal;
      this.refused.push(refusal);
      if (refusal.details?.reason === 'write_failed') this.unanswered.push(submission);
      return 'later';
    }
    if (answer.status !== 200) throw new Error(`an order was refused: ${JSON.stringify(answer.body)}`);
    this.answered.push({ submission, answer: answer.body });
    return answer.body;
  }

  /** False when the line went dead. One that was filled meanwhile stays as it is. */
  async #cancel(client: TestClient, { orderHash }: OrderAnswerBody, market: MarketId): Promise<boolean> {
    const answer = await client.delete(`/api/v1/orders/${orderHash}?marketId=${market}`).catch(() => undefined);
    if (answer?.status === 200) this.cancelled.push(orderHash);
    return answer !== undefined;
  }
}
