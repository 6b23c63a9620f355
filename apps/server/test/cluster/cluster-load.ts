// Traders on several gateways who never stop, and what they were answered: compared with what can be read when all is over.
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
import { expect } from 'vitest';
import { type KeptReceipt, verifyExchange } from '../../../../packages/sdk/src/verify/index.ts';
import type { OrderBody } from '../e2e/wire.ts';

export interface ClusterLoadOptions {
  readonly random: SeededRandom;
  readonly clients: readonly TestClient[];
  readonly markets: readonly MarketId[];
}

interface Answered {
  readonly market: MarketId;
  readonly trader: string;
  readonly submission: WireSubmission;
  /** One that was answered again, after the first answer was lost, has no receipt. */
  readonly answer: OrderAnswerBody & Partial<Pick<KeptReceipt, 'receipt'>>;
}

const PRICES = ['0.4', '0.5', '0.6'];
const TRADERS = 6;
/** The pause of each trader: all that was answered is compared in the end, at every gateway, and as many as a cluster can take show no more. */
const PAUSE_MS = isLongRun ? 0 : 300;
/** Longer than any other answer takes: a partition was being handed over. */
const OUTAGE_MS = 1_000;

export class ClusterLoad {
  readonly answered: Answered[] = [];
  readonly cancelled = new Set<string>();
  /** How long answers took that took long. */
  readonly outagesMs: number[] = [];
  slowestMs = 0;
  readonly #options: ClusterLoadOptions;
  #isStopped = false;

  constructor(options: ClusterLoadOptions) {
    this.#options = options;
  }

  /** The median of the answers that took long. */
  get medianOutageMs(): number | undefined {
    return this.outagesMs.toSorted((a, b) => a - b)[Math.floor(this.outagesMs.length / 2)];
  }

  stop(): void {
    this.#isStopped = true;
  }

  get receipts(): KeptReceipt[] {
    return this.answered.flatMap(({ answer: { orderHash, receipt } }) => (receipt ? [{ orderHash, receipt }] : []));
  }

  /** Resolves when each trader has finished their last order. */
  async run(): Promise<void> {
    await Promise.all(Array.from({ length: TRADERS }, (_, index) => this.#trade(index)));
  }

  /** Orders are answered again after whatever was done to the cluster. */
  async quiet(): Promise<void> {
    const from = this.answered.length;
    await waitFor('orders are answered again', () => this.answered.length > from + TRADERS, { timeoutMs: 60_000 });
  }

  /** Everything that was answered is there, once, in the order it was answered. */
  async expectKept(clients: readonly TestClient[]): Promise<void> {
    for (const client of clients) {
      for (const { submission, answer } of this.answered) {
        const order = await client.read<OrderBody>(`/api/v1/orders/${answer.orderHash}`);
        expect(order).toMatchObject({ size: submission.order.size, nonce: submission.order.nonce });
        expect(order.filledSize).toBeGreaterThanOrEqual(answer.filledSize);
        if (this.cancelled.has(answer.orderHash)) expect(order.status).toBe('cancelled');
      }
    }
    this.#expectTradesOnce();
    this.#expectInOrder();
  }

  /** A trader sends an order when the one before is answered: within a partition it stands behind that one. */
  #expectInOrder(): void {
    const last = new Map<string, number>();
    for (const { trader, answer } of this.answered) {
      if (answer.receipt === undefined) continue;
      const { partition, seq } = answer.receipt;
      const key = `${trader} ${partition}`;
      expect(seq).toBeGreaterThan(last.get(key) ?? 0);
      last.set(key, seq);
    }
  }

  /** A trade has one id and belongs to one taker: told twice, it would have been matched twice. */
  #expectTradesOnce(): void {
    const trades = this.answered.flatMap(({ answer }) => answer.trades.map(({ tradeId }) => tradeId));
    expect(new Set(trades).size).toBe(trades.length);
  }

  async #trade(index: number): Promise<void> {
    const { random, clients, markets } = this.#options;
    // One of them counts the nonces.
    const signer = clients[0] as TestClient;
    const trader = walletOf(`cluster trader ${index}`);
    const side = index % 2 === 0 ? 'buy' : 'sell';
    while (!this.#isStopped) {
      const market = random.pick(markets);
      const [price, size] = [random.pick(PRICES), String(random.int(1, 5))];
      const submission = await signer.signOrder(trader, { market, side, price, size });
      const answer = await this.#post(submission);
      this.answered.push({ market, trader: trader.address, submission, answer });
      if (answer.orderStatus === 'open' && random.chance(0.2)) await this.#cancel(market, answer.orderHash);
      await sleep(PAUSE_MS);
    }
  }

  /** As a careful client does: the very same request again, at any gateway, until it is answered. */
  async #post(submission: WireSubmission): Promise<Answered['answer']> {
    const { body } = await this.#insist((client) => client.post<Answered['answer']>('/api/v1/orders', submission));
    return body;
  }

  /** One that was filled meanwhile stays as it is. */
  async #cancel(market: MarketId, orderHash: string): Promise<void> {
    const path = `/api/v1/orders/${orderHash}?marketId=${market}`;
    const { status } = await this.#insist((client) => client.delete(path), [200, 400, 404, 409]);
    if (status === 200) this.cancelled.add(orderHash);
  }

  async #insist<A extends { readonly status: number; readonly body: unknown }>(
    ask: (client: TestClient) => Promise<A>,
    final: readonly number[] = [200],
  ): Promise<A> {
    const startMs = performance.now();
    for (;;) {
      const answer = await ask(this.#options.random.pick(this.#options.clients)).catch(() => undefined);
      if (answer !== undefined && final.includes(answer.status)) {
        this.#time(performance.now() - startMs);
        return answer;
      }
      // 425: a gateway that was started again and is not ready yet.
      if (answer !== undefined && answer.status < 500 && answer.status !== 425)
        throw new Error(`refused: ${JSON.stringify(answer.body)}`);
      await sleep(50);
    }
  }

  #time(tookMs: number): void {
    this.slowestMs = Math.max(this.slowestMs, Math.round(tookMs));
    if (tookMs > OUTAGE_MS) this.outagesMs.push(Math.round(tookMs));
  }
}

/** Verifies as anybody outside can: the journal that is published there, its books, the receipts of the load, and the chain. */
export async function expectSound(
  { url, rpcUrl }: { readonly url: string; readonly rpcUrl: string },
  { receipts }: ClusterLoad,
): Promise<void> {
  const { violation, counts } = await verifyExchange({ url, rpcUrl, receipts });
  expect(violation).toBeUndefined();
  expect(counts.receipts).toBe(receipts.length);
}
