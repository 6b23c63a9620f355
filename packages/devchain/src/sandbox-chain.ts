// The chain: accepts transactions, mines them, changes time and history, and makes each step durable before it is
// visible.
import { type Hex, toLowerHex } from '@presage/protocol';
import { messageOf, OffsetClock, SerialQueue } from '@presage/runtime';
import type { ChainLog } from './chain-log.ts';
import { type BlockRecord, hardforkOf, type StoredTransaction, type TransactionBody } from './chain-record.ts';
import type { EdrNode, Hardfork } from './edr-node.ts';
import { type Ledger, type LedgerBlock, MAX_REORG_DEPTH } from './ledger.ts';
import { MiningSchedule } from './mining-schedule.ts';
import { examineTransaction, GAS_CAPS } from './placement.ts';
import { type RecoveredChain, recoverChain } from './recovery.ts';
import { type PlannedBlock, planReorg, type ReorgMode } from './reorg-plan.ts';
import { KnownAnswers } from './rpc/known-answers.ts';
import { invalidParams, RpcError } from './rpc/rpc-error.ts';
import { FIRST_CHAIN_ID } from './sandbox-keys.ts';
import type { ChainPast } from './snapshot/chain-past.ts';
import { ChainView } from './snapshot/chain-view.ts';
import { type ChainMoment, Checkpointer, type CheckpointHost } from './snapshot/checkpointer.ts';
import type { RebasedLedger, TakenState } from './snapshot/rebase.ts';
import type { SnapshotStore } from './snapshot/snapshot-store.ts';
import { type AccountState, type PooledTransaction, TransactionPool } from './transaction-pool.ts';

/** Gas limit of mainnet in 2026: six settlement batches of a hundred fills in one block. */
const BLOCK_GAS_LIMIT = 60_000_000;

/**
 * Divisor of a block's gas: a larger transaction is mined without waiting for others, because the next batch is
 * simulated on its result.
 */
const LARGE_SHARE = 20;

export interface SandboxChainOptions {
  readonly log: ChainLog;
  /** Storage of snapshots, so that a start need not execute every block again. */
  readonly store?: SnapshotStore | undefined;
  /** Chain id of a new chain; an existing one must have it. */
  readonly chainId?: number | undefined;
  readonly blockIntervalMs: number;
  readonly lingerMs: number;
  readonly snapshotGas?: number;
  readonly clock?: OffsetClock;
  readonly onProgress?: (done: number, total: number) => void;
}

type ReadyOptions = SandboxChainOptions & { readonly clock: OffsetClock };

/** The part of a sendAs request that the caller chooses. */
export type SendAsRequest = Omit<Extract<TransactionBody, { kind: 'sent-as' }>, 'kind' | 'nonce'>;

/** Called inside the queue: a listener may only use the given node. */
export interface ChainListener {
  readonly subscriptionCount: number;
  /** Called before blocks are removed, while their logs can still be read. */
  leaving(blocks: readonly LedgerBlock[], node: ChainReader): Promise<void>;
  arrived(blocks: readonly LedgerBlock[], node: ChainReader): Promise<void>;
  waiting(hash: Hex): void;
}

/** Reads the chain at any block. */
export type ChainReader = Pick<ChainView, 'request'>;

export class SandboxChain {
  /**
   * The node handles one request at a time. Our own queue also keeps readers from running between the steps of a block
   * (execute, make durable, show).
   */
  readonly #queue = new SerialQueue();
  readonly #pool = new TransactionPool();
  readonly #listeners = new Set<ChainListener>();
  readonly #log: ChainLog;
  readonly #view: ChainView;
  readonly #known = new KnownAnswers();
  readonly #checkpointer: Checkpointer | undefined;
  readonly #schedule: MiningSchedule;
  readonly #blockGasLimit: number;
  readonly #hardfork: Hardfork;
  readonly replayedBlocks: number;
  readonly chainId: number;
  readonly clock: OffsetClock;
  #ledger: Ledger;
  #branch: number;
  #wake: (() => void)[] = [];
  /** The time set at the node for the block after this head. */
  #pending: { readonly head: LedgerBlock; readonly time: number } | undefined;

  private constructor(options: ReadyOptions, recovered: RecoveredChain) {
    this.#log = options.log;
    this.clock = options.clock;
    this.#ledger = recovered.ledger;
    this.#view = new ChainView(() => this.#ledger, recovered.past);
    this.#checkpointer = recovered.past && this.#createCheckpointer(recovered.past, options.snapshotGas);
    this.#branch = recovered.branch;
    this.#blockGasLimit = recovered.genesis.blockGasLimit;
    this.#hardfork = hardforkOf(recovered.genesis);
    this.replayedBlocks = recovered.replayedBlocks;
    this.chainId = recovered.genesis.chainId;
    this.#schedule = new MiningSchedule({
      intervalMs: options.blockIntervalMs,
      lingerMs: options.lingerMs,
      mine: () => this.#queue.run(() => this.#mineWaiting()),
    });
  }

  static async open(options: SandboxChainOptions): Promise<SandboxChain> {
    const clock = options.clock ?? new OffsetClock();
    const genesis = {
      type: 'genesis',
      version: 1,
      chainId: options.chainId ?? FIRST_CHAIN_ID,
      time: clock.nowSeconds(),
      blockGasLimit: BLOCK_GAS_LIMIT,
      hardfork: 'Osaka',
    } as const;
    const onProgress = options.onProgress ?? (() => {});
    const { log, store } = options;
    const recovered = await recoverChain({ log, store, newGenesis: genesis, onProgress });
    refuseOther(recovered.genesis.chainId, options.chainId);
    return SandboxChain.goOn({ ...options, clock }, recovered);
  }

  /** Continues from the recovered state in memory; from now on the log is only written to. */
  static async goOn(options: ReadyOptions, recovered: RecoveredChain): Promise<SandboxChain> {
    options.clock.setOffset(recovered.offsetSeconds);
    const chain = new SandboxChain(options, recovered);
    await chain.#refillPool(recovered);
    chain.#checkpointer?.touch();
    return chain;
  }

  get #node(): EdrNode {
    return this.#ledger.node;
  }

  get head(): LedgerBlock {
    return this.#ledger.head;
  }

  /** Most gas of a transaction on this chain. */
  get transactionGasCap(): number {
    return Math.min(GAS_CAPS[this.#hardfork], this.#blockGasLimit);
  }

  get miningHeld(): boolean {
    return this.#schedule.held;
  }

  get poolSize(): number {
    return this.#pool.size;
  }

  get subscriptionCount(): number {
    return [...this.#listeners].reduce((sum, listener) => sum + listener.subscriptionCount, 0);
  }

  pooled(hash: Hex): PooledTransaction | undefined {
    return this.#pool.get(hash);
  }

  pooledAll(): readonly PooledTransaction[] {
    return [...this.#pool.values()];
  }

  listen(listener: ChainListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** A read-only request to the node. */
  ask(method: string, params: readonly unknown[]): Promise<unknown> {
    return this.#queue.run(() => this.#askInLine(method, params));
  }

  /** A read of the newest block's state at the current time instead of that block's time. */
  simulate(method: string, call: unknown, rest: readonly unknown[]): Promise<unknown> {
    return this.#queue.run(async () => {
      await this.#setPendingTime(this.#nextTime());
      return this.#node.request(method, [call, 'pending', ...rest]);
    });
  }

  /** The node keeps this time until it mines. */
  async #setPendingTime(time: number): Promise<void> {
    const { head } = this;
    if (this.#pending?.head === head && this.#pending.time === time) return;
    await this.#node.request('evm_setNextBlockTimestamp', [`0x${time.toString(16)}`]);
    this.#pending = { head, time };
  }

  async accept(raw: Hex): Promise<Hex> {
    const { hash, durable } = await this.#queue.run(() => this.#admit({ kind: 'signed', raw }));
    await durable;
    return hash;
  }

  async sendAs(request: SendAsRequest): Promise<Hex> {
    const { hash, durable } = await this.#queue.run(async () => {
      const nonce = await this.#pendingNonce(request.from);
      return this.#admit({ kind: 'sent-as', ...request, nonce });
    });
    await durable;
    return hash;
  }

  pendingNonce(address: Hex): Promise<number> {
    return this.#queue.run(() => this.#pendingNonce(address));
  }

  /** Resolves when the transaction has left the pool, or cannot be mined yet. */
  async settled(hash: Hex): Promise<void> {
    const transaction = this.#pool.get(hash);
    if (!transaction || this.#schedule.held) return;
    if ((await this.pendingNonce(transaction.from)) <= transaction.nonce) return;
    while (this.#pool.get(hash) && !this.#schedule.held) {
      this.#schedule.hurry();
      await new Promise<void>((resolve) => this.#wake.push(resolve));
    }
  }

  /** While held, only `mine` makes blocks: transactions stay pending, as on a congested chain. */
  holdMining(held: boolean): void {
    if (held) this.#schedule.hold();
    else this.#schedule.release();
    this.#wakeAll();
  }

  /** Mines all pending transactions at once, in as many blocks as needed. */
  async flush(): Promise<void> {
    while (await this.#queue.run(() => this.#mineWaiting())) {}
  }

  mine(count: number): Promise<LedgerBlock> {
    return this.#queue.run(async () => {
      for (let mined = 0; mined < count; mined += 1) await this.#produce(true);
      return this.head;
    });
  }

  setTimeOffset(seconds: number): Promise<LedgerBlock> {
    return this.#queue.run(async () => {
      void this.#remember(this.#log.append({ type: 'offset', seconds }));
      this.clock.setOffset(seconds);
      await this.#produce(true);
      return this.head;
    });
  }

  /** Replaces the newest `depth` blocks by one more than that, as one record, so that it is atomic through a crash. */
  reorganise(depth: number, mode: ReorgMode): Promise<LedgerBlock> {
    return this.#queue.run(async () => {
      const deepest = Math.min(MAX_REORG_DEPTH, this.head.number);
      if (depth > deepest) throw invalidParams(`depth must be at most ${deepest} here`);
      const leaving = await this.#ledger.newest(depth);
      for (const listener of this.#listeners) await listener.leaving(leaving, this.#view);
      const branch = this.#branch + 1;
      const removed = await this.#ledger.rewind(depth);
      const blocks = await this.#rebuild(planReorg({ removed, mode, branch, now: this.#nextTime() }), branch);
      await this.#remember(this.#log.append({ type: 'reorg', depth, blocks: blocks.map(toBlockRecord) }));
      this.#branch = branch;
      await this.#announce(blocks);
      this.#schedule.touch();
      return this.head;
    });
  }

  /** Takes a snapshot if the chain keeps them; resolves when it is written. */
  async checkpoint(): Promise<void> {
    await this.#checkpointer?.take();
  }

  /** Drops every pending transaction, like a node that restarts without its pool. */
  async forgetPool(): Promise<readonly Hex[]> {
    return this.#queue.run(async () => {
      const hashes = this.pooledAll().map(({ hash }) => hash);
      await this.#drop(hashes);
      return hashes;
    });
  }

  async close(): Promise<void> {
    this.#schedule.hold();
    this.#wakeAll();
    await this.#checkpointer?.close();
    await this.#queue.run(() => this.#log.close());
  }

  #createCheckpointer(past: ChainPast, snapshotGas: number | undefined): Checkpointer {
    const host: CheckpointHost = {
      ledger: () => this.#ledger,
      branch: () => this.#branch,
      run: (task) => this.#queue.run(task),
      adopt: (rebased) => this.#adopt(rebased, past),
      name: (taken) => this.#name(taken, past),
    };
    return new Checkpointer(past, host, snapshotGas);
  }

  /** Switches to a node that began from a snapshot. Recorded, because a replay must switch at the same point. */
  async #adopt({ ledger, origin, segments }: RebasedLedger, { archive }: ChainPast): Promise<ChainMoment> {
    const { number, hash } = origin;
    const seq = await this.#remember(this.#log.append({ type: 'rebased', number, hash }));
    for (const segment of segments) archive.add(segment);
    this.#ledger = ledger;
    return { ...this.#moment(), seq, blocks: ledger.known.slice(1), segments: archive.segmentNames };
  }

  /** Records that the state of a block was taken; the node stays in use. */
  async #name({ origin, segments }: TakenState, { archive }: ChainPast): Promise<ChainMoment> {
    const { number, hash } = origin;
    const blocks = this.#ledger.after(hash);
    if (!blocks) throw new Error(`block ${number} is no longer part of the chain`);
    const seq = await this.#remember(this.#log.append({ type: 'saved', number, hash }));
    const names = [...archive.segmentNames, ...segments.map(({ name }) => name)];
    return { ...this.#moment(), seq, blocks, segments: names };
  }

  #moment(): Pick<ChainMoment, 'branch' | 'offsetSeconds' | 'waiting'> {
    const waiting = this.pooledAll().map(({ hash, from, nonce, body }) => ({ hash, from, nonce, body }));
    return { branch: this.#branch, offsetSeconds: this.clock.offsetSeconds, waiting };
  }

  async #admit(body: TransactionBody): Promise<{ hash: Hex; durable: Promise<number> }> {
    const transaction = await examineTransaction(this.#node, body, this.#hardfork);
    this.#pool.add(transaction);
    const { hash, from, nonce } = transaction;
    const durable = this.#remember(this.#log.append({ type: 'transaction', transaction: { hash, from, nonce, body } }));
    for (const listener of this.#listeners) listener.waiting(hash);
    if (transaction.gas * LARGE_SHARE >= this.#blockGasLimit) this.#schedule.hurry();
    else this.#schedule.touch();
    return { hash, durable };
  }

  async #refillPool(recovered: RecoveredChain): Promise<void> {
    const unminable: Hex[] = [];
    for (const { hash, body } of recovered.waiting) {
      try {
        this.#pool.add(await examineTransaction(this.#node, body, this.#hardfork));
      } catch (error) {
        if (!(error instanceof RpcError)) throw error;
        unminable.push(hash);
      }
    }
    await this.#drop(unminable);
    if (this.#pool.size > 0) this.#schedule.touch();
  }

  async #mineWaiting(): Promise<boolean> {
    if (this.#pool.size === 0) return false;
    const before = this.#pool.size;
    await this.#produce(false);
    this.#wakeAll();
    return this.#pool.size > 0 && this.#pool.size < before;
  }

  async #produce(allowEmpty: boolean): Promise<void> {
    const { chosen, unminable } = this.#pool.select(await this.#senderStates(), this.#blockGasLimit);
    const plan = { time: this.#nextTime(), branch: this.#branch, transactions: chosen, allowEmpty };
    // Reset even if no block is mined: the node may have used the time, or kept another.
    this.#pending = undefined;
    const { block, refused } = await this.#ledger.extend(plan);
    const dropped = [...unminable, ...refused].map(({ hash }) => hash);
    if (!block) return this.#drop(dropped);
    await this.#remember(this.#log.append({ type: 'block', block: toBlockRecord(block), refused: dropped }));
    for (const hash of dropped) this.#pool.remove(hash);
    await this.#announce([block]);
  }

  /** Transactions that do not fit into one block move to the next. */
  async #rebuild(plan: readonly PlannedBlock[], branch: number): Promise<LedgerBlock[]> {
    const blocks: LedgerBlock[] = [];
    let carried: readonly StoredTransaction[] = [];
    for (const planned of plan) {
      const transactions = [...carried, ...planned.transactions];
      const { block } = await this.#ledger.extend({ time: planned.time, transactions, branch, allowEmpty: true });
      if (!block) throw new Error('the node mined no block');
      blocks.push(block);
      const mined = new Set(block.transactions.map(({ hash }) => hash));
      carried = transactions.filter(({ hash }) => !mined.has(hash));
    }
    return blocks;
  }

  async #announce(blocks: readonly LedgerBlock[]): Promise<void> {
    for (const { transactions } of blocks) for (const { hash } of transactions) this.#pool.remove(hash);
    for (const listener of this.#listeners) await listener.arrived(blocks, this.#view);
    this.#wakeAll();
    this.#checkpointer?.touch();
  }

  async #drop(hashes: readonly Hex[]): Promise<void> {
    if (hashes.length === 0) return;
    await this.#remember(this.#log.append({ type: 'forgotten', hashes }));
    for (const hash of hashes) this.#pool.remove(hash);
    this.#wakeAll();
  }

  /**
   * If the log cannot be written, the state in memory is ahead of it: the process must exit, and the replay decides
   * what happened.
   */
  async #remember<T>(durable: Promise<T>): Promise<T> {
    try {
      return await durable;
    } catch (error) {
      process.stderr.write(`the chain log failed: ${messageOf(error)}\n`);
      process.exit(1);
    }
  }

  async #senderStates(): Promise<Map<Hex, AccountState>> {
    const states = new Map<Hex, AccountState>();
    for (const from of this.#pool.senders()) {
      const nonce = Number(await this.#askInLine('eth_getTransactionCount', [from, 'latest']));
      const balance = BigInt(String(await this.#askInLine('eth_getBalance', [from, 'latest'])));
      states.set(from, { nonce, balance });
    }
    return states;
  }

  async #pendingNonce(address: Hex): Promise<number> {
    const nonce = Number(await this.#askInLine('eth_getTransactionCount', [address, 'latest']));
    return this.#pool.nextNonce(toLowerHex(address), nonce);
  }

  #askInLine(method: string, params: readonly unknown[]): Promise<unknown> {
    const point = { head: this.head, headView: this.#ledger.headView, branch: this.#branch };
    return this.#known.find(point, [method, params], () => this.#view.request(method, params));
  }

  #nextTime(): number {
    return Math.max(this.clock.nowSeconds(), this.head.time);
  }

  #wakeAll(): void {
    const wake = this.#wake;
    this.#wake = [];
    for (const resolve of wake) resolve();
  }
}

function refuseOther(found: number, wanted: number | undefined): void {
  if (wanted !== undefined && found !== wanted) throw new Error(`this is chain ${found}, and ${wanted} was asked for`);
}

function toBlockRecord({ number, time, branch, hash, transactions }: LedgerBlock): BlockRecord {
  return { number, time, branch, hash, transactions: transactions.map((transaction) => transaction.hash) };
}
