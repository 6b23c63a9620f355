// The verdict on a quiet world: every check over the journal, the answers and the chain.
import type { Address } from '@presage/protocol';
import type { ClientLog } from './actors/client-log.ts';
import { Probes } from './actors/probes.ts';
import type { TokenUser } from './actors/tokens.ts';
import { checkAnswers } from './checkers/check-answers.ts';
import { checkBatches } from './checkers/check-batches.ts';
import { checkBlame } from './checkers/check-blame.ts';
import { checkFees } from './checkers/check-fees.ts';
import { JournalJudge } from './checkers/check-history.ts';
import { checkRelayed } from './checkers/check-relayed.ts';
import { checkRollbacks } from './checkers/check-rollbacks.ts';
import { checkSettled, findGone } from './checkers/check-settled.ts';
import { checkTokens } from './checkers/check-tokens.ts';
import { checkView } from './checkers/check-view.ts';
import { type KeptPartition, toRecords } from './checkers/kept-journal.ts';
import type { World } from './world/world.ts';

export interface JudgementOptions {
  readonly world: World;
  readonly log: ClientLog;
  readonly tokens: TokenUser;
  readonly traders: readonly Address[];
  /** Wallets whose own acts on chain can harm their orders. */
  readonly mayBeBlamed: ReadonlySet<Address>;
}

const STOP_LIMIT_MS = 60_000;

export class Judgement {
  readonly #options: JudgementOptions;
  /** One for each market partition, in order. */
  readonly #judges: readonly JournalJudge[];

  constructor(options: JudgementOptions) {
    this.#options = options;
    const { site, template } = options.world;
    this.#judges = site.partitions.map((partition) => new JournalJudge(template.deployment.chainId, partition));
  }

  /** Adds findings to the world's violations; returns the numbers of things checked. */
  async pass(): Promise<Record<string, number>> {
    const { world, log, traders, mayBeBlamed } = this.#options;
    const { violations, site } = world;
    // A market may have ended since the world became quiet.
    await this.#untilFollowed();
    const kept = await this.#readKept();
    violations.push(...checkAnswers(log, kept, site.database !== undefined));
    violations.push(...checkBatches(log, await Promise.all(site.partitions.map((name) => site.readFrames(name)))));
    if (site.database !== undefined)
      violations.push(...checkTokens(this.#options.tokens, toRecords(await site.readFrames('control'))));
    const gone = await findGone(world, kept);
    for (const { records } of kept) violations.push(...checkBlame(records, mayBeBlamed, gone));
    const ofChain = toRecords(await site.readFrames(`chain-${world.template.deployment.chainId}`));
    violations.push(...checkRelayed(log.relayedAgain, ofChain));
    if (world.reorgs === 0) {
      for (const records of [...kept.map((each) => each.records), ofChain]) violations.push(...checkRollbacks(records));
    }
    await this.#judgeFrames();
    this.#compareStates('is live');
    for (const { machine, views } of world.openExchanges) {
      const whose = (partition: string) => (site.database === undefined ? '' : ` of ${machine.name} and ${partition}`);
      for (const [index, { records, partition }] of kept.entries())
        violations.push(...checkView(views[index]!, records, whose(partition)));
    }
    for await (const violation of checkSettled({ world, kept, traders })) violations.push(violation);
    const { violations: wrongFees, charged } = await checkFees(world, kept, gone);
    violations.push(...wrongFees);
    const counts = sumOf(kept.map(({ history }) => history.counts));
    const records = kept.reduce((sum, partition) => sum + partition.records.length, 0);
    await this.#checkRestart();
    const answered = log.calls.filter(({ outcome }) => outcome === 'answered').length;
    const revived = kept.flatMap((each) => each.records).filter(({ record }) => record.type === 'trade-revived').length;
    const batches = log.of('batch').length;
    const conversions = countConversions(kept);
    const { starts } = world;
    return { records, ...counts, charged, answered, starts, batches, revived, gone: gone.size, conversions };
  }

  async #readKept(): Promise<KeptPartition[]> {
    const { partitions, readFrames } = this.#options.world.site;
    const kept: KeptPartition[] = [];
    for (const [index, partition] of partitions.entries()) {
      const records = toRecords(await readFrames(partition));
      kept.push({ partition, records, history: this.#judges[index]!.history });
    }
    return kept;
  }

  async #judgeFrames(): Promise<void> {
    const { partitions, readFrames } = this.#options.world.site;
    for (const [index, judge] of this.#judges.entries()) await judge.judge(await readFrames(partitions[index]!));
  }

  /** Every open node must have the state that the journal produces. */
  #compareStates(which: string): void {
    const { violations, openExchanges } = this.#options.world;
    for (const { machine } of openExchanges) {
      for (const [index, { stateHash }] of this.#judges.entries()) {
        const hash = machine.program?.host.partitions[index]?.reads.stateHash();
        if (hash === stateHash) continue;
        violations.push(`an engine of ${machine.name} ${which} and at ${hash}, the journal adds up to ${stateHash}`);
      }
    }
  }

  /** Restarted from their checkpoints, the services must return to exactly the same state. */
  async #checkRestart(): Promise<void> {
    const { world, mayBeBlamed } = this.#options;
    world.onEnded = () => undefined;
    const probes = new Probes(world);
    const written = await this.#countRecords();
    const funds = await probes.funds(mayBeBlamed);
    const stopping = new Set(world.machines);
    for (const machine of world.machines) void machine.stop().then(() => stopping.delete(machine));
    await world.time.runUntil(() => stopping.size === 0, world.time.nowMs + STOP_LIMIT_MS);
    for (const { name } of stopping) world.violations.push(`${name} did not stop`);
    for (const machine of world.machines) machine.end('killed');
    world.start();
    const isOpen = () => world.service !== undefined && world.gateways.every(({ program }) => program !== undefined);
    await world.time.runUntil(isOpen, world.time.nowMs + STOP_LIMIT_MS);
    if (!isOpen()) world.violations.push('not every service came back');
    await this.#untilFollowed();
    // It continued until it had stopped.
    await this.#judgeFrames();
    this.#compareStates('was started again');
    const later = await probes.funds(mayBeBlamed);
    // An order that ends meanwhile releases its reserve.
    const isStill = (await this.#countRecords()) === written;
    if (isStill && funds !== undefined && later !== undefined && funds !== later)
      world.violations.push(`before a restart wallets had ${funds}, after it ${later}`);
  }

  async #countRecords(): Promise<number> {
    return (await this.#readKept()).reduce((sum, { records }) => sum + records.length, 0);
  }

  /** Views show the last records a moment later, and so do nodes that follow a partition. */
  async #untilFollowed(): Promise<void> {
    const { world } = this.#options;
    await world.time.runUntil(() => world.isFollowed(), world.time.nowMs + STOP_LIMIT_MS);
  }
}

function countConversions(kept: readonly KeptPartition[]): number {
  return kept.reduce((sum, { history }) => sum + [...history.ledger.conversions()].length, 0);
}

function sumOf(counts: readonly { orders: number; trades: number; cancellations: number }[]) {
  const sums = { orders: 0, trades: 0, cancellations: 0 };
  for (const { orders, trades, cancellations } of counts) {
    sums.orders += orders;
    sums.trades += trades;
    sums.cancellations += cancellations;
  }
  return sums;
}
