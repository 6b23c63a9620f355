// Runs one seed: a life with faults, then peace, then every check.
import type { Address, MarketId } from '@presage/protocol';
import type { SeededRandom } from '@presage/testkit';
import { AtomicBatches } from './actors/atomic-batches.ts';
import { ClientLog } from './actors/client-log.ts';
import { Epilogue } from './actors/epilogue.ts';
import { EventActs } from './actors/event-acts.ts';
import { FaultInjector, type FaultName } from './actors/faults.ts';
import { HostileActs } from './actors/hostile.ts';
import { Probes } from './actors/probes.ts';
import { TokenUser } from './actors/tokens.ts';
import { Trader } from './actors/trader.ts';
import { checkAlarms } from './checkers/check-alarms.ts';
import { DurableAnswers } from './checkers/durable-answers.ts';
import { Judgement } from './judgement.ts';
import { describe } from './world/describe.ts';
import { type ChainTemplate, TRADER_NAMES } from './world/sim-chain-template.ts';
import { World } from './world/world.ts';

export interface SeedOptions {
  readonly seed: number;
  readonly template: ChainTemplate;
  /** A cluster of nodes with a shared journal, instead of one node. */
  readonly isCluster?: boolean | undefined;
  /** Limits on the number of actions and faults, for shrinking. */
  readonly actions?: number | undefined;
  readonly faults?: number | undefined;
  readonly without?: readonly FaultName[] | undefined;
  readonly onLine?: ((line: string) => void) | undefined;
  /** Also prints the lines of the network. */
  readonly isTraced?: boolean | undefined;
}

export interface SeedResult {
  readonly seed: number;
  readonly violations: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
  readonly faults: Readonly<Partial<Record<FaultName, number>>>;
  readonly digest: { readonly lines: number; readonly sha256: string };
}

const QUIET_LIMIT_MS = 400_000;
const START_LIMIT_MS = 60_000;
/** Time without anything new that counts as peace; half as long after a shorter life. */
const QUIET_MS = { whole: 9_000, shorter: 4_500 } as const;
/** Upper bound of a trader's act: two reads of an unresponsive chain take 20 s. */
const LONGEST_ACT_MS = 30_000;
const DEEP_REORG_CHANCE = 0.15;
/** Chance of a life with atomic batches, and the interval of these. */
const BATCH_CHANCE = 0.4;
const BATCH_MS = 3_000;
/** Interval of acts on an event's shares, in a life with events. */
const EVENT_ACT_MS = 1_500;
/** Higher for events: their results are worth more lives. */
const EPILOGUE_CHANCE = { plain: 0.25, events: 0.6 } as const;
/** Interval of token uses, in a cluster. */
const TOKEN_MS = 2_000;
const HONEST = 5;
/** Selector of settleBatch. */
const SETTLE_BATCH = '0xba713209';

export async function runSeed(options: SeedOptions): Promise<SeedResult> {
  const { seed, template, isCluster, onLine } = options;
  const world = await World.open({ seed, template, collateralCheck: 'enforce', isCluster, onLine });
  world.isTraced = options.isTraced ?? false;
  try {
    return await new SeedRun(world, options).run();
  } finally {
    await world.close();
  }
}

class SeedRun {
  readonly #world: World;
  readonly #options: SeedOptions;
  readonly #log = new ClientLog();
  readonly #traders: readonly Trader[];
  readonly #hostile: HostileActs;
  readonly #tokens: TokenUser;
  /** Unfinished acts of traders. An act that met the end of its process never finishes. */
  readonly #acts = new Set<{ readonly sinceMs: number }>();
  readonly #batches: AtomicBatches;
  readonly #events: EventActs;
  readonly #faults: FaultInjector;
  readonly #epilogue: Epilogue;

  constructor(world: World, options: SeedOptions) {
    this.#world = world;
    this.#options = options;
    const log = this.#log;
    const answers = new DurableAnswers(world);
    this.#tokens = new TokenUser(world, world.randomFor('tokens'));
    this.#batches = new AtomicBatches({ world, log, answers, random: world.randomFor('batches') });
    this.#traders = TRADER_NAMES.map((name, index) => {
      const wallet = world.template.wallets[index]!;
      const sign = world.template.signers[index]!;
      const mayExchange = index >= HONEST - 1;
      return new Trader({
        world,
        name,
        wallet,
        sign,
        log,
        answers,
        mayExchange,
        random: world.randomFor(`trader ${name}`),
      });
    });
    this.#hostile = new HostileActs(world, world.randomFor('hostile'));
    const wallets = world.template.wallets.slice(HONEST - 1);
    this.#events = new EventActs({ world, log, wallets, random: world.randomFor('event acts') });
    const strikes = world.randomFor('strikes');
    world.onRequest = (method, params) => this.#strike(method, params, strikes);
    this.#epilogue = new Epilogue(world, () => this.#becomeQuiet());
    this.#faults = new FaultInjector(world, world.randomFor('faults'), new Set(options.without));
  }

  async run(): Promise<SeedResult> {
    const world = this.#world;
    const violations = world.violations;
    const hasEvents = world.template.events.length > 0;
    world.start();
    const isOpen = () => world.service !== undefined && world.gateways.every(({ program }) => program !== undefined);
    await world.time.runUntil(isOpen, START_LIMIT_MS);
    await this.#live();
    this.#faults.heal();
    const isQuiet = await this.#becomeQuiet();
    for await (const violation of checkAlarms(world)) violations.push(violation);
    if (!isQuiet) violations.push(`not quiet in time: ${this.#whatMoves()}`);
    else if (world.randomFor('epilogue').chance(EPILOGUE_CHANCE[hasEvents ? 'events' : 'plain']))
      await this.#epilogue.run();
    violations.push(...(await new Probes(world).run()));
    const counts = await this.#toJudgement()
      .pass()
      .catch((error) => {
        violations.push(describe(error));
        return {};
      });
    for (const violation of violations) world.say(`VIOLATION ${violation}`);
    return { seed: world.seed, violations, counts, faults: this.#faults.counts, digest: world.digest };
  }

  async #live(): Promise<void> {
    const world = this.#world;
    const plan = world.randomFor('plan');
    const { lifeShare } = world.template;
    const lifeMs = plan.int(20_000, 55_000) * lifeShare;
    const actions = Math.ceil(plan.int(35, 100) * lifeShare);
    const faults = Math.ceil(plan.int(0, 9) * lifeShare);
    const startMs = world.time.nowMs;
    const { actions: mostActions = actions, faults: mostFaults = faults } = this.#options;
    world.say(`a life of ${lifeMs} ms, ${actions} actions, ${faults} faults`);
    for (let index = 0; index < actions; index++) {
      const [atMs, who] = [plan.fraction() * lifeMs, plan.below(this.#traders.length)];
      if (index < mostActions) world.time.after(atMs, () => this.#act(who), world.time.world);
    }
    for (let index = 0; index < faults; index++) {
      const atMs = plan.fraction() * lifeMs;
      if (index < mostFaults) world.time.after(atMs, () => this.#faults.begin(), world.time.world);
    }
    this.#planDeepReorg(lifeMs);
    this.#planBatches(lifeMs);
    if (world.template.events.length > 0) this.#planEventActs(lifeMs);
    if (world.site.database !== undefined) this.#useTokens(lifeMs);
    await world.time.runUntil(() => false, startMs + lifeMs);
  }

  /** Plans a deep reorganization in some lives, if there are enough blocks. */
  #planDeepReorg(lifeMs: number): void {
    const { time } = this.#world;
    const random = this.#world.randomFor('deep reorg');
    const [isPlanned, atMs, size] = [
      random.chance(DEEP_REORG_CHANCE),
      (0.3 + 0.7 * random.fraction()) * lifeMs,
      random.fraction(),
    ];
    if (isPlanned && this.#options.faults !== 0) time.after(atMs, () => this.#faults.deepReorg(size), time.world);
  }

  /** Planned separately from the other actions, so that their draws stay the same. */
  #planBatches(lifeMs: number): void {
    const { time } = this.#world;
    const random = this.#world.randomFor('batch times');
    if (!random.chance(BATCH_CHANCE) || this.#options.actions === 0) return;
    const act = () => this.#batches.act(this.#openMarkets()).catch((error) => this.#onClientFailure(error));
    for (let left = Math.ceil(lifeMs / BATCH_MS); left > 0; left--)
      time.after(random.fraction() * lifeMs, () => void act(), time.world);
  }

  #planEventActs(lifeMs: number): void {
    const { time } = this.#world;
    const random = this.#world.randomFor('event act times');
    if (this.#options.actions === 0) return;
    const act = () => this.#events.act().catch((error) => this.#onClientFailure(error));
    for (let left = Math.ceil(lifeMs / EVENT_ACT_MS); left > 0; left--)
      time.after(random.fraction() * lifeMs, () => void act(), time.world);
    const create = () => this.#events.create().catch((error) => this.#onClientFailure(error));
    time.after(random.fraction() * lifeMs, () => void create(), time.world);
  }

  #useTokens(lifeMs: number): void {
    const { time } = this.#world;
    const random = this.#world.randomFor('token times');
    const use = () => void this.#tokens.act();
    for (let left = Math.ceil(lifeMs / TOKEN_MS); left > 0; left--)
      time.after(random.fraction() * lifeMs, use, time.world);
  }

  #act(who: number): void {
    const world = this.#world;
    const trader = this.#traders[who]!;
    const markets = this.#openMarkets();
    const run = async () => {
      const random = world.randomFor(`act ${this.#log.calls.length} ${who}`);
      const isHostile = who >= HONEST && random.chance(0.25);
      if (!isHostile) return trader.act(markets);
      const marketId = random.pick(markets);
      await this.#hostile.act(trader.address, trader.name, marketId, BigInt(random.int(1, 12)));
      return undefined;
    };
    const act = { sinceMs: world.time.nowMs };
    this.#acts.add(act);
    run()
      .catch((error) => this.#onClientFailure(error))
      .finally(() => this.#acts.delete(act));
  }

  #openMarkets(): readonly MarketId[] {
    const { service, marketIds } = this.#world;
    const open = service?.host.reads.markets().filter(({ facts, status }) => {
      const isTraded = facts.kind !== 'standard' || facts.event !== undefined || marketIds.includes(facts.marketId);
      return status === 'open' && isTraded;
    });
    return open?.length ? open.map(({ facts }) => facts.marketId) : marketIds;
  }

  #onClientFailure(error: unknown): void {
    this.#world.violations.push(`a client failed: ${describe(error)}`);
  }

  /** A hostile trader with a trade in settlement strikes when its batch is simulated. */
  #strike(method: string, params: readonly unknown[], random: SeededRandom): void {
    if (method !== 'eth_call' || !JSON.stringify(params[0]).includes(SETTLE_BATCH) || !random.chance(0.3)) return;
    const hostile = this.#traders.slice(HONEST).map(({ address }) => address);
    const trades = this.#world.service?.host.reads.unsettledTrades() ?? [];
    const trader = trades.flatMap(({ buyer, seller }) => [buyer, seller]).find((each) => hostile.includes(each));
    if (trader === undefined || this.#faults.isOver) return;
    this.#hostile.strike(trader).catch((error) => this.#world.violations.push(`a strike failed: ${describe(error)}`));
  }

  async #becomeQuiet(): Promise<boolean> {
    const world = this.#world;
    const quietMs = world.template.lifeShare < 1 ? QUIET_MS.shorter : QUIET_MS.whole;
    let quietSinceMs = Number.POSITIVE_INFINITY;
    const look = () => {
      if (!this.#isQuiet()) quietSinceMs = Number.POSITIVE_INFINITY;
      else quietSinceMs = Math.min(quietSinceMs, world.time.nowMs);
      return world.time.nowMs - quietSinceMs > quietMs;
    };
    return world.time.runUntil(look, world.time.nowMs + QUIET_LIMIT_MS);
  }

  #isQuiet(): boolean {
    const { service, chain, operators } = this.#world;
    if (service === undefined || chain.isWaiting(operators) || !this.#world.isFollowed()) return false;
    // An order whose check waits for an unresponsive chain may be accepted seconds after all faults are over.
    if ([...this.#acts].some(({ sinceMs }) => sinceMs > this.#world.time.nowMs - LONGEST_ACT_MS)) return false;
    return service.chains.isQuiet() && service.host.reads.unsettledTrades().length === 0;
  }

  #whatMoves(): string {
    const { service, chain } = this.#world;
    if (service === undefined) return 'there is no service';
    const trades = service.host.reads.unsettledTrades().map(({ tradeId, stage }) => `${tradeId} ${stage}`);
    return `${chain.poolSize} transactions wait, trades ${trades.slice(0, 5).join(', ')}, quiet ${service.chains.isQuiet()}`;
  }

  #toJudgement(): Judgement {
    const traders: Address[] = this.#traders.map(({ address }) => address);
    const mayBeBlamed = new Set([
      ...this.#hostile.guilty,
      ...this.#events.guilty,
      ...this.#log.of('relay').map(({ owner }) => owner),
    ]);
    return new Judgement({ world: this.#world, log: this.#log, tokens: this.#tokens, traders, mayBeBlamed });
  }
}
