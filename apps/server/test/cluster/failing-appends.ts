// Appends to a shared journal that the database refuses at random, and orders that are posted again and again through every gateway.
import { setTimeout as sleep } from 'node:timers/promises';
import type { MarketId } from '@presage/protocol';
import {
  type OrderAnswerBody,
  type SeededRandom,
  type TestClient,
  type WireSubmission,
  waitFor,
  walletOf,
} from '@presage/testkit';
import { expect } from 'vitest';
import type { KeptReceipt } from '../../../../packages/sdk/src/verify/index.ts';
import type { OrderBody } from '../e2e/wire.ts';
import type { TestCluster } from './test-cluster.ts';

/** The server itself refuses: a full disk, a time limit, a broken rule, too little memory. */
const REFUSE = `create function refuse_some() returns trigger language plpgsql as $$
  declare codes text[] := array['53100', '57014', '23514', '53200'];
  begin
    if random() < 0.04 then
      raise exception 'refused by the test' using errcode = codes[1 + floor(random() * 4)::int];
    end if;
    return new;
  end $$`;

/** Carries out the work while one of 25 appends of all nodes is refused. */
export async function whileAppendsFail(cluster: TestCluster, work: () => Promise<void>): Promise<void> {
  const { primary } = cluster.database;
  await primary.query(REFUSE);
  await primary.query(
    'create trigger refuse_some after insert on journal_frames for each row execute function refuse_some()',
  );
  try {
    await work();
  } finally {
    await primary.query('drop trigger refuse_some on journal_frames');
    await primary.query('drop function refuse_some');
  }
}

const MOST_POSTS = 5;
const LANES = 6;

type Answer = OrderAnswerBody & Partial<Pick<KeptReceipt, 'receipt'>>;

/** Posts each order up to five times, two at a time through two gateways, and keeps every answer. */
export class RepeatedOrders {
  readonly accepted = new Map<string, { readonly submission: WireSubmission; readonly answer: Answer }>();
  readonly withoutReceipt: string[] = [];
  readonly refusals = new Map<string, number>();
  replays = 0;
  readonly #random: SeededRandom;
  readonly #clients: readonly [TestClient, TestClient];

  constructor(random: SeededRandom, clients: readonly [TestClient, TestClient]) {
    this.#random = random;
    this.#clients = clients;
  }

  get receipts(): KeptReceipt[] {
    return [...this.accepted.values()].flatMap(({ answer: { orderHash, receipt } }) =>
      receipt ? [{ orderHash, receipt }] : [],
    );
  }

  async post(count: number, markets: readonly MarketId[]): Promise<void> {
    let left = count;
    const lane = async (_: unknown, index: number) => {
      const trader = walletOf(`repeats ${index}`);
      while (left-- > 0) {
        const [market, price] = [this.#random.pick(markets), this.#random.pick(['0.4', '0.5', '0.6'])];
        const side = index % 2 === 0 ? 'buy' : 'sell';
        const order = { market, side, price, size: String(this.#random.int(1, 5)) } as const;
        await this.#postRepeatedly(await this.#clients[0].signOrder(trader, order));
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
  }

  /** Every order that was answered is there, at every gateway. */
  async expectKept(): Promise<void> {
    for (const client of this.#clients) {
      for (const { submission, answer } of this.accepted.values()) {
        const order = await waitFor('it is known here', async () => {
          const read = await client.get<OrderBody>(`/api/v1/orders/${answer.orderHash}`);
          return read.status === 200 && read.body;
        });
        expect(order).toMatchObject({ size: submission.order.size, nonce: submission.order.nonce });
      }
    }
  }

  async #postRepeatedly(submission: WireSubmission): Promise<void> {
    for (let posts = 0; posts < MOST_POSTS; posts += 2) {
      const both = this.#clients.slice(0, MOST_POSTS - posts).map((client) => this.#postOnce(client, submission));
      const isAnswered = (await Promise.all(both)).every(Boolean);
      if (isAnswered && this.#random.chance(0.6)) return;
      await sleep(this.#random.int(0, 200));
    }
  }

  async #postOnce(client: TestClient, submission: WireSubmission): Promise<boolean> {
    const { status, body, headers } = await client.post<Answer & { code?: string }>('/api/v1/orders', submission);
    if (status !== 200) {
      const code = `${status} ${body.code}`;
      this.refusals.set(code, (this.refusals.get(code) ?? 0) + 1);
      return false;
    }
    if (headers.get('Idempotent-Replayed') === 'true') this.replays++;
    if (body.receipt === undefined) this.withoutReceipt.push(body.orderHash);
    const former = this.accepted.get(body.orderHash)?.answer;
    if (former !== undefined) expect(body).toEqual(former);
    this.accepted.set(body.orderHash, { submission, answer: body });
    return true;
  }
}
