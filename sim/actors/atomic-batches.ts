// Traders who place several orders atomically: FOK and post-only, some of which cannot be placed.
import {
  type Address,
  BUY,
  type MarketId,
  NO,
  type Order,
  type OrderHash,
  PresageError,
  SELL,
  type Side,
  toLowerHex,
  toPrice,
  toSize,
  YES,
  ZERO_ADDRESS,
} from '@presage/protocol';
import type { SeededRandom } from '@presage/testkit';
import type { DurableAnswers } from '../checkers/durable-answers.ts';
import type { World } from '../world/world.ts';
import type { BatchByClient, ClientLog, PlacedByClient } from './client-log.ts';
import { type Submission, signOrder } from './signed-order.ts';

interface AtomicBatchesOptions {
  readonly world: World;
  readonly log: ClientLog;
  readonly answers: DurableAnswers;
  readonly random: SeededRandom;
}

interface SignedForBatch {
  readonly trader: Address;
  readonly marketId: MarketId;
  readonly orderHash: OrderHash;
  readonly body: Submission;
}

/** Separate nonces: traders count theirs from 1 on. */
const FIRST_NONCE = 500_000n;
/** Far enough apart that most post-only orders rest, close enough that some would cross. */
const BIDS = [300_000, 470_000, 480_000, 500_000].map(toPrice);
const ASKS = [500_000, 520_000, 530_000, 700_000].map(toPrice);
const FOK_CHANCE = 0.12;

export class AtomicBatches {
  readonly #options: AtomicBatchesOptions;
  #nonce = FIRST_NONCE;

  constructor(options: AtomicBatchesOptions) {
    this.#options = options;
  }

  /** Places two to five orders of one wallet, mostly in one market; sometimes repeats the same batch. */
  async act(marketIds: readonly MarketId[]): Promise<void> {
    const { random, world } = this.#options;
    const trader = random.below(world.template.wallets.length);
    const [first, second] = [random.pick(marketIds), random.pick(marketIds)];
    const isMixed = random.chance(0.3);
    const count = random.int(2, 5);
    const orders = Array.from({ length: count }, (_, index) =>
      this.#sign(trader, isMixed && index > 0 ? second : first),
    );
    const calls = await this.#submit(orders);
    if (random.chance(0.2) && calls.every(({ outcome }) => outcome !== 'refused')) await this.#submit(orders);
  }

  #sign(trader: number, marketId: MarketId): SignedForBatch {
    const { world, random } = this.#options;
    const address: Address = toLowerHex(world.template.wallets[trader]!.address);
    const isFok = random.chance(FOK_CHANCE);
    const side = random.pick<Side>([BUY, SELL]);
    const order: Order = {
      marketId,
      trader: address,
      side,
      outcome: random.pick([YES, NO]),
      // A FOK order takes the price of the other side.
      price: random.pick((side === BUY) === isFok ? ASKS : BIDS),
      size: toSize(random.int(1, 4) * 1_000_000),
      nonce: ++this.#nonce,
      expiration: BigInt(Math.floor((world.template.startMs + world.time.nowMs) / 1_000) + 600),
      makerFeeRecipient: ZERO_ADDRESS,
    };
    const terms = isFok ? { timeInForce: 'FOK' } : { postOnly: true };
    return { trader: address, marketId, ...signOrder(world, world.template.signers[trader]!, order, terms) };
  }

  async #submit(orders: readonly SignedForBatch[]): Promise<PlacedByClient[]> {
    const { world, log, answers, random } = this.#options;
    const sentMs = world.time.nowMs;
    const calls = orders.map(({ orderHash, trader, marketId }) =>
      log.add<PlacedByClient>({ kind: 'place', orderHash, trader, marketId, sentMs, outcome: 'open' }),
    );
    const batch = log.add<BatchByClient>({
      kind: 'batch',
      orderHashes: orders.map(({ orderHash }) => orderHash),
      outcome: 'open',
    });
    const outcome = await world.ask(1 + 20 * random.fraction(), async (service) => {
      const placed = await service.admission.submitAtomic(orders.map(({ body }) => body));
      for (const { receipt } of placed) answers.check(service, receipt);
      return placed;
    });
    batch.outcome = outcome.kind;
    const refusal =
      outcome.kind === 'refused' && outcome.error instanceof PresageError ? outcome.error.code : undefined;
    for (const [index, call] of calls.entries()) {
      call.outcome = outcome.kind;
      if (refusal !== undefined) call.refusal = refusal;
      if (outcome.kind !== 'answered') continue;
      call.answeredAt = log.nextAnswer();
      call.answeredMs = world.time.nowMs;
      call.receipt = outcome.value[index]?.receipt;
    }
    const hashes = batch.orderHashes.map((hash) => hash.slice(0, 10)).join(' ');
    world.say(`a batch of ${hashes}: ${outcome.kind}${refusal === undefined ? '' : `, ${refusal}`}`);
    return calls;
  }
}
