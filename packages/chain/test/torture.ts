// A stress run of a sender: many operations, a faulty node, reorgs, and kills at arbitrary steps.
import { SeededRandom } from '@presage/testkit';
import { JsonRpc } from '../src/json-rpc.ts';
import { isRpcFailure } from '../src/rpc.ts';
import type { SenderAlarm } from '../src/sender/sender-alarms.ts';
import { TransactionSender } from '../src/sender/transaction-sender.ts';
import type { ChainFixture } from './chain-fixture.ts';
import type { FaultyRpc } from './faulty-rpc.ts';
import { KillSwitch, MemoryJournal } from './kill-switch.ts';
import { CHAIN_ID, SETTLER } from './sandbox-accounts.ts';

export interface TortureOptions {
  readonly chain: ChainFixture;
  readonly proxy: FaultyRpc;
  readonly seed: number;
  readonly operations: number;
  /** Chance of a reorg after each round. */
  readonly reorgRate: number;
  /** Goes on until there were so many: how many rounds the operations take depends on the machine. */
  readonly reorgs: number;
}

export interface TortureReport {
  readonly journal: MemoryJournal;
  readonly deaths: number;
  readonly deathPlaces: ReadonlySet<string>;
  readonly reorgs: number;
  readonly rounds: number;
  readonly alarms: readonly SenderAlarm[];
  readonly sender: TransactionSender;
}

/** Short, because every lost answer costs one of these. */
const RPC_TIMEOUT_MS = 150;
const DEEPEST_REORG = 4;
/** Longer than the node needs to answer, so that anything sent before it is durable has time to take effect. */
const SYNC_MS = 12;

/** Kinds of step to die at, and the longest life counted in them: rare steps would never be hit by an even draw. */
const DEATHS: readonly (readonly [number, RegExp])[] = [
  [100, / (nonce|transaction)-/],
  [40, / (batch|eth)/],
  [10, /eth_sendRawTransaction/],
  [55, /transaction-(mined|unmined|confirmed|finalized)/],
];

export async function torture(options: TortureOptions): Promise<TortureReport> {
  const run = new TortureRun(options);
  for (;;) {
    const sender = await run.live();
    if (sender !== null) return { ...run.report(), sender };
  }
}

class TortureRun {
  readonly #options: TortureOptions;
  readonly #random: SeededRandom;
  readonly #journal = new MemoryJournal();
  readonly #deathPlaces = new Set<string>();
  readonly #alarms: SenderAlarm[] = [];
  #deaths = 0;
  #reorgs = 0;
  #rounds = 0;

  constructor(options: TortureOptions) {
    this.#options = options;
    this.#random = new SeededRandom(options.seed);
  }

  report(): Omit<TortureReport, 'sender'> {
    return {
      journal: this.#journal,
      deaths: this.#deaths,
      deathPlaces: this.#deathPlaces,
      reorgs: this.#reorgs,
      rounds: this.#rounds,
      alarms: this.#alarms,
    };
  }

  /** One life of the sender; it survives when every operation is confirmed. */
  async live(): Promise<TransactionSender | null> {
    const [steps, counted] = this.#random.pick(DEATHS);
    const life = new KillSwitch(1 + this.#random.below(steps), counted);
    const sender = this.#open(life);
    const place = await Promise.race([this.#work(sender), life.died]);
    if (place === null) return sender;
    this.#deaths += 1;
    this.#deathPlaces.add(place);
    return null;
  }

  #open(life: KillSwitch): TransactionSender {
    const rpc = new JsonRpc({ url: this.#options.proxy.url, timeoutMs: RPC_TIMEOUT_MS });
    return new TransactionSender({
      rpc: life.rpc(rpc),
      chainId: CHAIN_ID,
      account: SETTLER,
      journal: life.journal(this.#journal, SYNC_MS),
      records: this.#journal.records,
      confirmations: 3,
      finalityDepth: 24,
      maxInFlight: 24,
      fees: () => this.#fees(),
      onAlarm: (alarm) => this.#alarms.push(alarm),
    });
  }

  /** Never the same twice: a transaction signed again is another one, so a forgotten first one would show. */
  #fees() {
    const maxPriorityFeePerGas = BigInt(1_000_000 + this.#random.below(1_000_000));
    return { maxFeePerGas: maxPriorityFeePerGas, maxPriorityFeePerGas };
  }

  /** As a caller would after every restart: asks for everything again, under the same ids. */
  async #work(sender: TransactionSender): Promise<null> {
    let waiting = this.#options.operations;
    for (let index = 0; index < this.#options.operations; index += 1) {
      void this.#enqueue(sender, index).then(() => {
        waiting -= 1;
      });
    }
    while (waiting > 0 || !sender.isSettled || this.#reorgs < this.#options.reorgs) {
      await sender.advance();
      await this.#disturb();
    }
    return null;
  }

  async #enqueue(sender: TransactionSender, index: number): Promise<void> {
    for (;;) {
      try {
        await sender.enqueue(this.#options.chain.mint(index));
        return;
      } catch (error) {
        if (!isRpcFailure(error)) throw error;
      }
    }
  }

  async #disturb(): Promise<void> {
    this.#rounds += 1;
    const { chain, reorgRate } = this.#options;
    await chain.mine();
    if (!this.#random.chance(reorgRate)) return;
    const depth = 1 + this.#random.below(DEEPEST_REORG);
    if ((await chain.head()) <= depth + 1) return;
    await chain.reorg(depth, this.#random.pick(['keep', 'drop', 'shuffle'] as const));
    this.#reorgs += 1;
  }
}
