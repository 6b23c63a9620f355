// A trader with a wallet: signs orders, cancels, splits, merges and repeats requests; some traders are hostile.
import {
  type Address,
  BUY,
  type MarketId,
  NO,
  OPERATION_TYPES,
  type Order,
  PresageError,
  SELL,
  toLowerHex,
  toPrice,
  toSize,
  YES,
  ZERO_ADDRESS,
} from '@presage/protocol';
import type { SignDigest } from '@presage/protocol/digest-signer';
import type { SeededRandom } from '@presage/testkit';
import { parseSignature } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import type { PlacedOrder } from '../../apps/server/src/admission/ports.ts';
import type { RelayRequest } from '../../apps/server/src/relayer/operations/operations.ts';
import type { DurableAnswers } from '../checkers/durable-answers.ts';
import type { Outcome } from '../world/machine.ts';
import type { World } from '../world/world.ts';
import type { CancelledByClient, ClientLog, PlacedByClient, RelayedByClient } from './client-log.ts';
import { type Submission, signOrder } from './signed-order.ts';

export interface TraderOptions {
  readonly world: World;
  readonly name: string;
  readonly wallet: PrivateKeyAccount;
  readonly sign: SignDigest;
  readonly log: ClientLog;
  readonly answers: DurableAnswers;
  readonly random: SeededRandom;
  /**
   * Whether the wallet splits and merges. Moving funds beside orders can leave those uncovered, so the most innocent
   * traders do not.
   */
  readonly mayExchange: boolean;
}

interface Relayed {
  readonly operation: 'split' | 'merge';
  readonly request: RelayRequest<'split'>['request'];
  readonly hash: string;
}

interface Sent {
  readonly call: PlacedByClient;
  readonly body: Submission;
}

const MOST_RETRIES = 3;
/** Minimum lifetime of an order in seconds: one that expires sooner is refused. */
const LEAST_SECONDS = 62;
const PRICES = [300_000, 470_000, 480_000, 490_000, 500_000, 500_000, 510_000, 520_000, 530_000, 700_000].map(toPrice);

export class Trader {
  readonly name: string;
  readonly address: Address;
  readonly #options: TraderOptions;
  readonly #sent: Sent[] = [];
  #nonce = 0n;
  #relayed: Relayed | undefined;

  constructor(options: TraderOptions) {
    this.#options = options;
    this.name = options.name;
    this.address = toLowerHex(options.wallet.address);
  }

  /** Draws one act by weight. */
  async act(marketIds: readonly MarketId[]): Promise<void> {
    const { random } = this.#options;
    const what = random.weighted({
      place: 60,
      twice: 8,
      cancel: 14,
      cancelAll: 2,
      again: 6,
      split: 4,
      merge: 3,
      heartbeat: 2,
      dust: 3,
      storm: 1,
    });
    const marketId = random.pick(marketIds);
    if (what === 'place') await this.place(marketId);
    else if (what === 'twice') await this.placeTwice(marketId);
    else if (what === 'cancel') await this.cancelOne();
    else if (what === 'cancelAll') await this.cancelAll();
    else if (what === 'again') await this.sendAgain();
    else if (what === 'dust') await this.place(marketId, random.int(1, 9));
    else if (what === 'storm') await this.storm(marketId);
    else if (what === 'heartbeat') await this.heartbeat();
    else if (this.#options.mayExchange) await this.exchange(what, marketId);
    else await this.place(marketId);
  }

  async place(marketId: MarketId, size = this.#options.random.int(1, 12) * 1_000_000): Promise<void> {
    const sent = this.#sign(marketId, size);
    await this.#submit(sent.call, sent.body);
    await this.#insist(sent);
  }

  /** Sends the same order over two connections at once, like an impatient client. */
  async placeTwice(marketId: MarketId): Promise<void> {
    const sent = this.#sign(marketId, this.#options.random.int(1, 12) * 1_000_000);
    const delayMs = this.#delayMs();
    const [, again] = await Promise.all([this.#submit(sent.call, sent.body, delayMs), this.#resend(sent, delayMs)]);
    // One answer is enough: a client that was told of the acceptance does not ask again.
    if (again.outcome !== 'answered') await this.#insist(sent);
  }

  /** Posts the same order again while the journal cannot be written, as the refusal advises. */
  async #insist(sent: Sent): Promise<void> {
    for (let tries = 0; tries < MOST_RETRIES && sent.call.refusal === 'journal_unavailable'; tries++) {
      await this.#options.world.time.wait(this.#delayMs() * 10 ** tries);
      if ((await this.#resend(sent)).refusal !== 'journal_unavailable') return;
    }
  }

  #sign(marketId: MarketId, size: number): Sent {
    const { world, random, log } = this.#options;
    const signed: Order = {
      marketId,
      trader: this.address,
      side: random.pick([BUY, SELL]),
      outcome: random.pick([YES, NO]),
      price: random.pick(PRICES),
      size: toSize(size),
      nonce: ++this.#nonce,
      expiration: BigInt(
        Math.floor((world.template.startMs + world.time.nowMs) / 1_000) +
          random.pick([LEAST_SECONDS, 75, 90, 600, 600, 600]),
      ),
      makerFeeRecipient: ZERO_ADDRESS,
    };
    const terms = { timeInForce: random.pick(['GTC', 'GTC', 'GTC', 'GTC', 'GTC', 'IOC', 'FOK']) };
    const { orderHash, body } = signOrder(world, this.#options.sign, signed, terms);
    const sentMs = world.time.nowMs;
    const call = log.add<PlacedByClient>({
      kind: 'place',
      orderHash,
      trader: this.address,
      marketId,
      sentMs,
      outcome: 'open',
    });
    const sent = { call, body };
    this.#sent.push(sent);
    return sent;
  }

  /** Many orders and cancellations at once. */
  async storm(marketId: MarketId): Promise<void> {
    const waves = Array.from({ length: 6 }, () => [this.place(marketId), this.cancelOne()]);
    await Promise.all([...waves.flat(), this.cancelAll()]);
  }

  /** Repeats the same bytes: the answer must be the same, and nothing may happen twice. */
  async sendAgain(): Promise<void> {
    if (this.#relayed !== undefined && this.#options.random.chance(0.4)) return this.#relayAgain(this.#relayed);
    const former = this.#sent.length > 0 ? this.#options.random.pick(this.#sent) : undefined;
    if (former !== undefined) await this.#resend(former);
  }

  async #resend(
    { call: { orderHash, trader, marketId }, body }: Sent,
    delayMs = this.#delayMs(),
  ): Promise<PlacedByClient> {
    const sentMs = this.#options.world.time.nowMs;
    const call: PlacedByClient = { kind: 'place', orderHash, trader, marketId, sentMs, outcome: 'open' };
    await this.#submit(this.#options.log.add(call), body, delayMs);
    return call;
  }

  async cancelOne(): Promise<void> {
    const { random, log, world } = this.#options;
    const known = this.#sent.filter(({ call }) => call.outcome === 'answered');
    if (known.length === 0) return;
    const { orderHash, marketId } = random.pick(known.slice(-8)).call;
    const call = log.add<CancelledByClient>({
      kind: 'cancel',
      orderHash,
      marketId,
      sentMs: world.time.nowMs,
      outcome: 'open',
    });
    const outcome = await world.ask(this.#delayMs(), async (service) => {
      const cancelled = await service.host.commands.cancelOrder(marketId, orderHash, this.address);
      this.#options.answers.check(service, cancelled.receipt);
      return cancelled;
    });
    call.outcome = outcome.kind;
    if (outcome.kind === 'answered') {
      call.answeredAt = log.nextAnswer();
      call.answeredMs = world.time.nowMs;
      call.receipt = outcome.value.receipt;
    }
    world.say(`${this.name} cancels ${orderHash.slice(0, 10)}: ${toText(outcome)}`);
  }

  async cancelAll(): Promise<void> {
    const { world } = this.#options;
    const outcome = await world.ask(this.#delayMs(), ({ host }) => host.commands.cancelOrders(this.address, 'user'));
    world.say(`${this.name} cancels all: ${toText(outcome)}`);
  }

  async heartbeat(): Promise<void> {
    const { world, random } = this.#options;
    const seconds = random.pick([0, 5, 60]);
    const outcome = await world.ask(this.#delayMs(), ({ switches }) => switches.set(this.address, seconds));
    world.say(`${this.name} heartbeat ${seconds}: ${toText(outcome)}`);
  }

  /** Splits stablecoin into pairs of shares or merges them, through the relayer. */
  async exchange(operation: 'split' | 'merge', marketId: MarketId): Promise<void> {
    const { world, random, log, wallet } = this.#options;
    const { chainId, stablecoin, conditionalTokens } = world.template.deployment;
    const amount = BigInt(random.int(1, 20)) * 1_000_000n;
    const nonce = await this.#readOperations();
    const deadline = BigInt(Math.floor((world.template.startMs + world.time.nowMs) / 1_000) + 3_600);
    const collateralToken = toLowerHex(stablecoin);
    const fields = { owner: this.address, collateralToken, conditionId: marketId, amount };
    const signature = await wallet.signTypedData({
      domain: { name: 'ConditionalTokensWithPermit', version: '1', chainId, verifyingContract: conditionalTokens },
      types: OPERATION_TYPES,
      primaryType: operation === 'split' ? 'SplitPosition' : 'MergePositions',
      message: { ...fields, nonce, deadline },
    });
    const { r, s, yParity } = parseSignature(signature);
    const request = { chainId: BigInt(chainId), ...fields, deadline, v: 27 + yParity, r, s };
    const call = log.add<RelayedByClient>({
      kind: 'relay',
      owner: this.address,
      operation,
      amount,
      marketId,
      nonce,
      outcome: 'open',
    });
    const outcome = await world.askActor(this.#delayMs(), (actor) =>
      actor.relayer.service.relay({ operation, request }),
    );
    call.outcome = outcome.kind;
    if (outcome.kind === 'answered') {
      call.hash = outcome.value.hash;
      this.#relayed = { operation, request, hash: outcome.value.hash };
    }
    world.say(`${this.name} ${operation} ${amount}: ${toText(outcome)}`);
  }

  async #relayAgain({ operation, request, hash }: Relayed): Promise<void> {
    const { world, log } = this.#options;
    const outcome = await world.askActor(this.#delayMs(), (actor) =>
      actor.relayer.service.relay({ operation, request }),
    );
    world.say(`${this.name} ${operation} once more: ${toText(outcome)}`);
    if (world.reorgs > 0 || outcome.kind === 'lost') return;
    const otherHash = outcome.kind === 'answered' ? outcome.value.hash : undefined;
    const answer = toText(outcome);
    const isJudged = outcome.kind === 'answered' || answer.includes('simulation_failed');
    if (isJudged && otherHash !== hash) log.relayedAgain.push({ hash, otherHash, answer });
  }

  /** Nonce at the conditional tokens; each signed operation uses one. */
  async #readOperations(): Promise<bigint> {
    const { world } = this.#options;
    const data = `0x7ecebe00${this.address.slice(2).padStart(64, '0')}`;
    const to = world.template.deployment.conditionalTokens;
    return BigInt(String(await world.chain.call('eth_call', [{ to, data }, 'latest'])));
  }

  async #submit(call: PlacedByClient, body: Submission, delayMs = this.#delayMs()): Promise<void> {
    const { world, log } = this.#options;
    const outcome = await world.ask(delayMs, async (service) => {
      const placed = await service.admission.submit(body);
      this.#options.answers.check(service, placed.receipt);
      return placed;
    });
    call.outcome = outcome.kind;
    if (outcome.kind === 'refused' && outcome.error instanceof PresageError) call.refusal = outcome.error.code;
    if (outcome.kind === 'answered') {
      call.answeredAt = log.nextAnswer();
      call.answeredMs = world.time.nowMs;
      call.receipt = outcome.value.receipt;
    }
    world.say(`${this.name} places ${call.orderHash.slice(0, 10)}: ${toOrderText(outcome)}`);
    const isRead = world.gateways.length > 1 && call.receipt !== undefined;
    if (isRead) await this.#options.answers.readElsewhere(call, call.receipt!);
  }

  #delayMs(): number {
    return 1 + 20 * this.#options.random.fraction();
  }
}

function toOrderText(outcome: Outcome<PlacedOrder>): string {
  if (outcome.kind !== 'answered') return toText(outcome);
  const { answer, replayed } = outcome.value;
  return `${replayed ? 'again ' : ''}${answer.orderStatus}, ${answer.trades.length} trades`;
}

function toText(outcome: Outcome<unknown>): string {
  if (outcome.kind !== 'refused') return outcome.kind;
  const { error } = outcome;
  return `refused, ${error instanceof PresageError ? error.code : String(error)}`;
}
