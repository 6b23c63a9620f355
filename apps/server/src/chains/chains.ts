// All chains of the service: opened and closed in parallel, each with its own markets, found by id.

import type { JournalRecord, MarketId } from '@presage/protocol';
import { messageOf, Shutdown, sleep } from '@presage/runtime';
import type { ChainConfig } from '../config.ts';
import type { Journal } from '../host/open.ts';
import type { Log } from '../log/log.ts';
import { QuickIds } from '../quick/open.ts';
import { type Chain, type OpenChainOptions, openChain } from './chain.ts';
import { type ChainProblem, NoChainFit } from './chain-problem.ts';

type Shared =
  | 'config'
  | 'clock'
  | 'host'
  | 'views'
  | 'prices'
  | 'sandbox'
  | 'signers'
  | 'stops'
  | 'log'
  | 'onFatal'
  | 'openHeads'
  | 'openPost'
  | 'pace';

export interface ChainsOptions extends Pick<OpenChainOptions, Shared> {
  readonly journal: Pick<Journal, 'openChain' | 'keepState'>;
}

export interface OpenChainsOptions extends ChainsOptions {
  readonly shutdown: Shutdown;
}

type OpenedListener = (chain: Chain) => unknown;

/** Longest wait of open chains for one that has not answered yet; it joins when it does. */
const FIRST_ANSWER_TIMEOUT_MS = 3_000;

export class Chains {
  readonly #options: ChainsOptions;
  readonly #opened = new Map<number, Chain>();
  readonly #listeners: OpenedListener[] = [];
  readonly #shutdowns: Shutdown[] = [];
  readonly #closing = new AbortController();
  readonly #quickIds = new QuickIds();
  /** Known reasons why chains are not open, by chain id. */
  readonly #problems = new Map<number, ChainProblem>();
  #openings: readonly Promise<void>[] = [];
  #onProgress = (): void => undefined;
  #isStarted = false;

  private constructor(options: ChainsOptions) {
    this.#options = options;
  }

  /**
   * Resolves when at least one chain is open and every other is open, unfit or too slow to answer. A chain that cannot be served does not
   * block the others; rejects if all are unfit. The shutdown closes all chains, even if one has never answered.
   */
  static async open({ shutdown, ...options }: OpenChainsOptions): Promise<Chains> {
    const chains = new Chains(options);
    shutdown.add('chains', () => chains.close());
    await chains.#openAll();
    return chains;
  }

  async #openAll(): Promise<void> {
    const decided = new Promise<void>((resolve, reject) => {
      this.#onProgress = () => {
        const { length } = this.#options.config.chains;
        const unfit = [...this.#problems.values()].filter(({ kind }) => kind === 'unfit');
        if (unfit.length === length) reject(new NoChainFit(unfit));
        else if (this.#opened.size > 0 && this.#opened.size + unfit.length === length) resolve();
        else if (this.#opened.size > 0) void sleep(FIRST_ANSWER_TIMEOUT_MS).then(resolve);
      };
    });
    this.#openings = this.#options.config.chains.map((chain) => this.#open(chain));
    await Promise.race([decided, Promise.all(this.#openings)]);
    this.#onProgress = () => undefined;
    for (const [index, chain] of this.#options.config.chains.entries())
      this.#openings[index]?.catch((error) => this.#onLateFailure(chain, error));
  }

  /** Undefined for an open chain, and for one whose first answer is still awaited. */
  problemOf(chainId: number): ChainProblem | undefined {
    return this.#problems.get(chainId);
  }

  /** Open chains in the order of the configuration. */
  list(): Chain[] {
    return this.#options.config.chains.flatMap(({ chainId }) => this.#opened.get(chainId) ?? []);
  }

  /** First open chain of the configuration; `open` resolves only when there is one. */
  get first(): Chain {
    const [first] = this.list();
    if (first === undefined) throw new Error('no chain is open');
    return first;
  }

  find(chainId: number): Chain | undefined {
    return this.#opened.get(chainId);
  }

  /** Resolves when the listener was called for all open chains. A chain that opens later is passed to it before it starts. */
  async onOpened(listener: OpenedListener): Promise<void> {
    this.#listeners.push(listener);
    for (const chain of this.list()) await listener(chain);
  }

  isQuiet(): boolean {
    return this.list().every((chain) => chain.isQuiet);
  }

  /** Passes a durable record of a market to the chain of that market. */
  follow(record: JournalRecord): void {
    if ('marketId' in record) this.#chainOf(record.marketId)?.follow(record);
  }

  start(): void {
    this.#isStarted = true;
    for (const chain of this.list()) chain.start();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#shutdowns.map((shutdown) => shutdown.run()));
    await Promise.allSettled(this.#openings);
  }

  async #open(chain: ChainConfig): Promise<void> {
    const { journal, ...shared } = this.#options;
    const { keepState } = journal;
    const log = this.#logOf(chain);
    const shutdown = new Shutdown((name, error) =>
      log.error({ name, error: String(error) }, 'component failed to shut down'),
    );
    this.#shutdowns.push(shutdown);
    const partition = await journal.openChain(chain.chainId);
    const { signal } = this.#closing;
    const onProblem = (problem: ChainProblem) => this.#onProblem(problem, log);
    const own = { chain, partition, keepState, shutdown, log, quickIds: this.#quickIds, signal, onProblem };
    const opened = await openChain({ ...shared, ...own });
    this.#opened.set(chain.chainId, opened);
    if (this.#problems.delete(chain.chainId)) log.info({}, 'chain joined');
    for (const listener of this.#listeners) await listener(opened);
    if (this.#isStarted) opened.start();
    this.#onProgress();
  }

  /** Logs each reason once, not at every attempt. */
  #onProblem(problem: ChainProblem, log: Log): void {
    const { chainId, message } = problem;
    const isNew = this.#problems.get(chainId)?.message !== message;
    this.#problems.set(chainId, problem);
    if (isNew) log.error({ problem: message }, 'chain left out; retrying until it is fit');
    this.#onProgress();
  }

  #logOf({ chainId }: ChainConfig): Log {
    const { log } = this.#options;
    return {
      debug: (details, message) => log.debug({ chainId, ...details }, message),
      info: (details, message) => log.info({ chainId, ...details }, message),
      warn: (details, message) => log.warn({ chainId, ...details }, message),
      error: (details, message) => log.error({ chainId, ...details }, message),
    };
  }

  #onLateFailure(chain: ChainConfig, error: unknown): void {
    if (this.#closing.signal.aborted) return;
    const { chainId } = chain;
    const message = `chain ${chainId} failed to open: ${messageOf(error)}. Restart the service`;
    this.#problems.set(chainId, { chainId, kind: 'unfit', message });
    this.#logOf(chain).error({ error: String(error) }, 'chain disabled until restart');
  }

  #chainOf(marketId: MarketId): Chain | undefined {
    const facts = this.#options.host.reads.facts(marketId);
    return facts && this.#opened.get(facts.chainId);
  }
}
