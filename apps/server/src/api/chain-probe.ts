// Probes the health of one chain: whether its node answers, the relayer's balance, and transactions in flight.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Rpc } from '@presage/chain';
import { DAY_MS, toChecksumAddress } from '@presage/protocol';
import type { ServedChain } from '../chains/chain-actor.ts';
import type { ChainProblem } from '../chains/chain-problem.ts';
import type { ChainConfig } from '../config.ts';
import type { Wire } from './answer.ts';

export interface ServedChains {
  /** Served chains in configuration order; excludes chains that have never answered. */
  list(): readonly ServedChain[];
  find(chainId: number): ServedChain | undefined;
  /** Reason why a configured chain is not served, if known. */
  problemOf(chainId: number): ChainProblem | undefined;
  /** Calls the listener for every open chain, and for each that opens later. */
  onOpened(listener: (chain: ServedChain) => unknown): Promise<void>;
}

export interface ChainHealth {
  readonly chainId: number;
  readonly up: boolean;
  /** Relayer's balance in wei; null on a node without its key. */
  readonly balance: string | null;
  readonly nonce: number | null;
}

/** Silence after which a chain's node counts as down, so that health checks of other chains do not wait for it. */
const ANSWER_TIMEOUT_MS = 3_000;

export class ChainProbe {
  readonly #config: ChainConfig;
  readonly #chains: ServedChains;
  readonly #runway: RelayerRunway;

  constructor(config: ChainConfig, chains: ServedChains, nowMs: () => number) {
    this.#config = config;
    this.#chains = chains;
    this.#runway = new RelayerRunway(nowMs);
  }

  async ask(): Promise<ChainHealth> {
    const { chainId } = this.#config;
    const asked = [this.#askNode(), sleep(ANSWER_TIMEOUT_MS, [], { ref: false })];
    const [block, balance, nonce] = await Promise.race(asked);
    return {
      chainId,
      up: block?.ok === true,
      balance: balance?.ok ? BigInt(String(balance.result)).toString() : null,
      nonce: nonce?.ok ? Number(nonce.result) : null,
    };
  }

  describe({ chainId, up, balance, nonce }: ChainHealth): Wire<'ChainStatus'> {
    const actor = this.#chains.find(chainId)?.actor;
    const problem = this.#chains.problemOf(chainId);
    const { queued: waiting = 0, batchesInFlight = 0 } = actor?.settlement ?? {};
    const runway = this.#runway.observe(balance);
    const relayer = actor && { address: toChecksumAddress(actor.relayer.address), balance, nonce, ...runway };
    return {
      chainId,
      name: this.#config.name,
      up,
      block: actor?.indexer.lastBlock?.number ?? 0,
      settlementQueue: { waiting, batchesInFlight },
      relayer: relayer ?? null,
      ...(problem && { problem: { kind: problem.kind, detail: problem.message } }),
    };
  }

  /** Queries the chain's node; an empty list for a chain that has never answered. */
  async #askNode(): ReturnType<Rpc['batch']> {
    const chain = this.#chains.find(this.#config.chainId);
    if (chain === undefined) return [];
    const relayer = chain.actor?.relayer.address;
    const ofRelayer = ['eth_getBalance', 'eth_getTransactionCount'].map((method) => ({
      method,
      params: [relayer, 'latest'],
    }));
    return chain.rpc.batch([{ method: 'eth_blockNumber', params: [] }, ...(relayer === undefined ? [] : ofRelayer)]);
  }
}

/** Minimum period for a spending rate: over a shorter one, a single batch would look like a rate. */
const LEAST_SEEN_MS = 60_000;
/** Minimum time between observations; one a minute is enough to cover a day. */
const SPACING_MS = 60_000;

interface Observation {
  readonly atMs: number;
  readonly balance: bigint;
  /** Total spent so far; top-ups do not reduce it. */
  readonly spent: bigint;
}

interface Runway {
  readonly spentPerDay: string | null;
  readonly daysLeft: number | null;
}

const UNKNOWN: Runway = { spentPerDay: null, daysLeft: null };

export class RelayerRunway {
  readonly #nowMs: () => number;
  /** Observations, oldest first. The newest stays in `#last` until it is far enough from the one before. */
  readonly #kept: Observation[] = [];
  #last: Observation | undefined;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Records a balance in wei (null while the chain is unreachable) and estimates the runway. */
  observe(balance: string | null): Runway {
    if (balance === null) return UNKNOWN;
    const last = this.#remember(BigInt(balance));
    const first = this.#kept[0];
    if (first === undefined || last.atMs - first.atMs < LEAST_SEEN_MS) return UNKNOWN;
    const perDay = ((last.spent - first.spent) * BigInt(DAY_MS)) / BigInt(last.atMs - first.atMs);
    if (perDay === 0n) return { spentPerDay: '0', daysLeft: null };
    return { spentPerDay: perDay.toString(), daysLeft: Number((last.balance * 10n) / perDay) / 10 };
  }

  #remember(balance: bigint): Observation {
    const previous = this.#last;
    const drop = previous !== undefined && previous.balance > balance ? previous.balance - balance : 0n;
    const now = { atMs: this.#nowMs(), balance, spent: (previous?.spent ?? 0n) + drop };
    this.#last = now;
    const newest = this.#kept.at(-1);
    if (newest === undefined || now.atMs - newest.atMs >= SPACING_MS) this.#kept.push(now);
    while ((this.#kept[1]?.atMs ?? Number.POSITIVE_INFINITY) <= now.atMs - DAY_MS) this.#kept.shift();
    return now;
  }
}
