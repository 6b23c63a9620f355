// Orders that admission must refuse, sent when the world is quiet: with a foreign signature, too late, or far above their wallet's funds.
import {
  type Address,
  BUY,
  type MarketId,
  type Order,
  PresageError,
  toLowerHex,
  toPrice,
  toSize,
  YES,
  ZERO_ADDRESS,
} from '@presage/protocol';
import type { World } from '../world/world.ts';

interface Probe {
  readonly name: string;
  /** Indexes of the trader and of the signer in the template. */
  readonly trader: number;
  readonly signer: number;
  readonly size: number;
  readonly seconds: number;
  readonly code: string;
}

const SMALL = 1_000_000;
/** A size beyond any wallet's funds. */
const HUGE = 900_000_000_000;
const PROBES: readonly Probe[] = [
  { name: 'forged', trader: 0, signer: 1, size: SMALL, seconds: 600, code: 'invalid_signature' },
  { name: 'late', trader: 1, signer: 1, size: SMALL, seconds: -5, code: 'expiration_too_soon' },
  { name: 'uncovered', trader: 2, signer: 2, size: HUGE, seconds: 600, code: 'insufficient_balance' },
];
const LIMIT_MS = 30_000;
/** Above the nonces of any trader in a life. */
const FIRST_NONCE = 1_000_000n;

export class Probes {
  readonly #world: World;
  #nonce = FIRST_NONCE;

  constructor(world: World) {
    this.#world = world;
  }

  /** Returns probes that were not refused, or refused for another reason. */
  async run(): Promise<string[]> {
    const marketId = this.#openMarket();
    if (marketId === undefined) return [];
    const found: string[] = [];
    for (const probe of PROBES) {
      const code = await this.#send(probe, marketId);
      if (code !== probe.code) found.push(`an order that is ${probe.name} was not refused with ${probe.code}: ${code}`);
    }
    return found;
  }

  /**
   * What each trader can pay according to the service, except those who changed it on chain, whose orders may still be
   * removed.
   */
  async funds(without: ReadonlySet<Address>): Promise<string | undefined> {
    const marketId = this.#openMarket();
    if (marketId === undefined) return undefined;
    const told: string[] = [];
    for (const [trader, { address }] of this.#world.template.wallets.entries()) {
      if (without.has(toLowerHex(address))) continue;
      const body = this.#sign({ name: '', trader, signer: trader, size: SMALL, seconds: 600, code: '' }, marketId);
      const outcome = await this.#settled(this.#world.ask(1, ({ admission }) => admission.examine(body)));
      if (outcome?.kind !== 'answered') return undefined;
      told.push(
        JSON.stringify(outcome.value.funds ?? null, (_, value) => (typeof value === 'bigint' ? String(value) : value)),
      );
    }
    return told.join('\n');
  }

  #openMarket(): MarketId | undefined {
    const markets = this.#world.service?.host.reads.markets() ?? [];
    const now = Math.floor((this.#world.template.startMs + this.#world.time.nowMs) / 1_000);
    const isOpen = ({ facts, status }: (typeof markets)[number]) =>
      status === 'open' && facts.kind === 'standard' && facts.expiration > now + 3_600;
    const [first] = markets
      .filter(isOpen)
      .map(({ facts }) => facts.marketId)
      .sort();
    return first;
  }

  async #send(probe: Probe, marketId: MarketId): Promise<string> {
    const body = this.#sign(probe, marketId);
    const outcome = await this.#settled(this.#world.ask(1, ({ admission }) => admission.submit(body)));
    if (outcome?.kind !== 'refused') return outcome?.kind ?? 'no answer';
    return outcome.error instanceof PresageError ? outcome.error.code : String(outcome.error);
  }

  async #settled<T>(asked: Promise<T>): Promise<T | undefined> {
    let settled: T | undefined;
    void asked.then((value) => {
      settled = value;
    });
    const { time } = this.#world;
    await time.runUntil(() => settled !== undefined, time.nowMs + LIMIT_MS);
    return settled;
  }

  #sign({ trader, signer, size, seconds }: Probe, marketId: MarketId) {
    const { template, time } = this.#world;
    const address: Address = toLowerHex(template.wallets[trader]!.address);
    const signed: Order = {
      marketId,
      trader: address,
      side: BUY,
      outcome: YES,
      price: toPrice(500_000),
      size: toSize(size),
      nonce: ++this.#nonce,
      expiration: BigInt(Math.floor(time.wallMs / 1_000) + seconds),
      makerFeeRecipient: ZERO_ADDRESS,
    };
    const signature = template.signers[signer]!(template.orderHasher.orderHash(signed));
    return { order: { ...signed, expiration: Number(signed.expiration) }, signature };
  }
}
