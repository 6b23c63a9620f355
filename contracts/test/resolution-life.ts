// One market from its expiration to the last unit paid, with liars, disputers and block lists drawn from a seed.
import type { SeededRandom } from '@presage/testkit';
import { type Address, type Hex, zeroAddress, zeroHash } from 'viem';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { marketAbi, optimisticOracleAbi } from '../generated/abi.ts';
import type { ResolutionWorld } from './resolution-world.ts';

const HOUR = 3_600n;
const DAY = 24n * HOUR;
const WINDOW = 2n * HOUR;
const SECOND_ARBITRATOR_DELAY = 3n * DAY;
const OUTCOMES = [0, 1, 2] as const;
const PAYOUTS = [
  [1n, 0n, 1n],
  [0n, 1n, 1n],
  [1n, 1n, 2n],
] as const;

const safe = privateKeyToAccount(`0x${'95'.repeat(32)}`).address;

interface LiveAssertion {
  readonly id: Hex;
  readonly outcome: number;
  readonly disputer: Address;
  readonly assertionTime: bigint;
  readonly expirationTime: bigint;
}

export class Life {
  readonly truth: number;
  /** Whether somebody disputes every false proposal inside its window. */
  readonly isWatched: boolean;
  readonly #fixture: ResolutionWorld;
  readonly #random: SeededRandom;
  /** How many bonds the liar is ready to lose. */
  #lies: number;
  /** When each disputed assertion is decided: voters and arbitrators need time. */
  readonly #verdicts = new Map<Hex, { readonly at: bigint; readonly truthful: boolean }>();
  readonly #decided = new Set<Hex>();
  readonly #known = new Set<Hex>();
  /** Has one bond, and no other money. */
  readonly #honest: PrivateKeyAccount;
  readonly #liar: PrivateKeyAccount;
  readonly #watcher: PrivateKeyAccount;
  readonly #bystander: PrivateKeyAccount;
  readonly #refused = new Set<Address>();
  #expiration = 0n;

  constructor(fixture: ResolutionWorld, random: SeededRandom) {
    this.#fixture = fixture;
    this.#random = random;
    this.truth = random.pick(OUTCOMES);
    this.isWatched = random.chance(0.8);
    this.#lies = random.int(0, 6);
    const newAccount = () => privateKeyToAccount(random.hex(32));
    this.#honest = newAccount();
    this.#liar = newAccount();
    this.#watcher = newAccount();
    this.#bystander = newAccount();
  }

  /** Resolves with the days that the result took. */
  async play(maxDays: bigint): Promise<bigint> {
    await this.#open();
    const end = this.#expiration + maxDays * DAY;
    for (let now = this.#expiration; now < end; now = await this.#now()) {
      await this.#decideDue(now);
      await this.#lie();
      await this.#defend();
      await this.#attempt('settle');
      if (this.#random.chance(0.1)) await this.#attempt('void');
      if (await this.#isResolved()) return (now - this.#expiration) / DAY;
      await this.#fixture.world.chain.advance(BigInt(this.#random.int(1, 20)) * HOUR);
    }
    throw new Error(`no result after ${maxDays} days`);
  }

  get disputes(): number {
    return this.#verdicts.size;
  }

  payouts(): readonly bigint[] {
    return PAYOUTS[this.truth]!;
  }

  /** Everybody takes what is theirs; what was refused goes to another address or waits until it is accepted. */
  async drain(): Promise<void> {
    const { world } = this.#fixture;
    for (const account of [this.#honest, this.#liar, this.#watcher]) await this.#withdraw(account);
    for (const address of [...this.#refused]) await this.#setRefused(address, false);
    for (const [id, { truthful }] of this.#verdicts) {
      if (!this.#decided.has(id)) await this.#fixture.decide(id, truthful);
    }
    for (const id of this.#known) {
      if ((await this.#assertion(id)).settled) continue;
      await world.chain.advance(WINDOW);
      await this.#fixture.settleAtOracle(id);
    }
    for (const account of [this.#honest, this.#liar, this.#watcher]) await this.#withdraw(account);
    await this.#fixture.payOwed(world.collateral);
    for (const account of [this.#honest, this.#liar, this.#bystander]) await this.#fixture.redeem(account);
  }

  async #open(): Promise<void> {
    const fixture = this.#fixture;
    await fixture.openExpiredMarket();
    this.#expiration = await this.#now();
    const amount = () => 2n * BigInt(this.#random.int(1, 1_000_000));
    await fixture.fund(this.#honest.address, await fixture.bond());
    await fixture.giveShares(this.#honest.address, this.#liar.address, amount());
    await fixture.giveShares(this.#liar.address, this.#bystander.address, amount());
    await fixture.giveShares(this.#bystander.address, this.#honest.address, amount());
    if (this.#random.chance(0.5)) await this.#setRefused(fixture.world.collateral, true);
  }

  /** One move of the liar: a false proposal, perhaps disputed at once in a name that is never paid, or a dispute of the truth. */
  async #lie(): Promise<void> {
    if (this.#lies === 0 || this.#random.chance(0.3)) return;
    this.#lies--;
    const live = await this.#live();
    const truth = live.find(({ outcome }) => outcome === this.truth);
    if (truth !== undefined && this.#isDisputable(truth, await this.#now()) && this.#random.chance(0.6)) {
      await this.#dispute(this.#liar, truth, this.#random.pick([this.#liar.address, this.#fixture.world.collateral]));
    } else {
      const free = OUTCOMES.filter((each) => each !== this.truth && live.every(({ outcome }) => outcome !== each));
      if (free.length === 0) return;
      const outcome = this.#random.pick(free);
      const id = await this.#propose(this.#liar, outcome);
      const made = (await this.#live()).find((each) => each.id === id);
      if (made !== undefined && this.#random.chance(0.5)) {
        await this.#dispute(this.#liar, made, this.#random.pick([this.#liar.address, this.#fixture.world.collateral]));
      }
    }
    if (this.#random.chance(0.2)) await this.#setRefused(this.#liar.address, true);
    if (this.#random.chance(0.1)) await this.#setRefused(this.#watcher.address, true);
  }

  /** Watchers dispute what is false, and the honest proposer says what is true. */
  async #defend(): Promise<void> {
    const now = await this.#now();
    for (const assertion of await this.#live()) {
      const isFalse = assertion.outcome !== this.truth;
      if (!this.isWatched || !isFalse || !this.#isDisputable(assertion, now)) continue;
      await this.#setRefused(this.#watcher.address, false);
      await this.#dispute(this.#watcher, assertion, this.#watcher.address);
    }
    const isProposed = (await this.#live()).some(({ outcome }) => outcome === this.truth);
    if (isProposed || (await this.#isResolved())) return;
    const id = await this.#fixture.proposeWithOwn(this.#honest, this.truth);
    this.#known.add(id);
    if (this.#random.chance(0.2)) await this.#setRefused(this.#honest.address, true);
  }

  async #propose(account: PrivateKeyAccount, outcome: number): Promise<Hex | undefined> {
    await this.#setRefused(account.address, false);
    // What was settled meanwhile may have resolved the market.
    const id = await this.#fixture.proposeAs(account, outcome).catch(() => undefined);
    if (id !== undefined) this.#known.add(id);
    return id;
  }

  async #dispute(account: PrivateKeyAccount, assertion: LiveAssertion, disputer: Address): Promise<void> {
    await this.#setRefused(account.address, false);
    await this.#fixture.disputeAs(account, assertion.id, disputer);
    const hours = BigInt(this.#random.int(1, 96));
    const at = (await this.#now()) + hours * HOUR;
    this.#verdicts.set(assertion.id, { at, truthful: assertion.outcome === this.truth });
  }

  /** An absent arbitrator leaves the decision to the second. */
  async #decideDue(now: bigint): Promise<void> {
    for (const [id, { at, truthful }] of this.#verdicts) {
      const { assertionTime } = await this.#assertion(id);
      if (this.#decided.has(id) || now < at) continue;
      this.#decided.add(id);
      const isSecond = now >= assertionTime + SECOND_ARBITRATOR_DELAY + WINDOW && this.#random.chance(0.5);
      if (isSecond) await this.#fixture.decideAsSecond(id, truthful);
      else await this.#fixture.decide(id, truthful);
    }
  }

  /** A payer whom the token refuses takes the bond to another address. */
  async #withdraw(account: PrivateKeyAccount): Promise<void> {
    const { world } = this.#fixture;
    const to = this.#refused.has(account.address) ? safe : account.address;
    for (const [target, abi, functionName] of [
      [world.oracle, optimisticOracleAbi, 'withdrawOwed'],
      [world.market, marketAbi, 'withdrawBond'],
    ] as const) {
      await world.as(account, target, abi, functionName, [to]).catch(() => undefined);
    }
  }

  async #attempt(move: 'settle' | 'void'): Promise<void> {
    await this.#fixture[move]().catch(() => undefined);
  }

  async #setRefused(address: Address, isRefused: boolean): Promise<void> {
    if (this.#refused.has(address) === isRefused) return;
    await this.#fixture.refuse(address, isRefused);
    if (isRefused) this.#refused.add(address);
    else this.#refused.delete(address);
  }

  #isDisputable({ disputer, expirationTime }: LiveAssertion, now: bigint): boolean {
    return disputer === zeroAddress && now + 60n < expirationTime;
  }

  async #live(): Promise<LiveAssertion[]> {
    const found: LiveAssertion[] = [];
    for (const outcome of OUTCOMES) {
      const question = { address: this.#fixture.world.market, abi: marketAbi, functionName: 'liveAssertion' } as const;
      const id = await this.#fixture.world.chain.client.readContract({ ...question, args: [outcome] });
      if (id !== zeroHash) found.push({ id, outcome, ...(await this.#assertion(id)) });
    }
    return found;
  }

  #assertion(id: Hex) {
    const question = { address: this.#fixture.world.oracle, abi: optimisticOracleAbi } as const;
    return this.#fixture.world.chain.client.readContract({ ...question, functionName: 'getAssertion', args: [id] });
  }

  async #isResolved(): Promise<boolean> {
    return (await this.#fixture.payouts())[2] !== 0n;
  }

  #now(): Promise<bigint> {
    return this.#fixture.world.chain.now();
  }
}
