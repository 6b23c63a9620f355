// Asks one chain how it is: whether it answers, what its relayer has left, and what is on its way there.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Rpc } from '@presage/chain';
import { type ChainStatus, toChecksumAddress } from '@presage/protocol';
import type { ChainConfig } from '../config.ts';
import type { Answer } from './answer.ts';
import { RelayerRunway } from './relayer-runway.ts';
import type { ServedChains } from './services.ts';

interface ChainProbeOptions {
  readonly config: ChainConfig;
  readonly chains: ServedChains;
  readonly nowMs: () => number;
}

export interface ChainHealth {
  readonly chainId: number;
  readonly up: boolean;
  /** Balance of the relayer in wei; null on a node without its key. */
  readonly balance: string | null;
  readonly nonce: number | null;
}

/** A node that stays silent for this long counts as down: requests about the other chains must not wait for it. */
const ANSWER_TIMEOUT_MS = 3_000;

export class ChainProbe {
  readonly #options: ChainProbeOptions;
  readonly #runway: RelayerRunway;

  constructor(options: ChainProbeOptions) {
    this.#options = options;
    this.#runway = new RelayerRunway(options.nowMs);
  }

  async ask(): Promise<ChainHealth> {
    const { chainId } = this.#options.config;
    const asked = [this.#askNode(), sleep(ANSWER_TIMEOUT_MS, [], { ref: false })];
    const [block, balance, nonce] = await Promise.race(asked);
    return {
      chainId,
      up: block?.ok === true,
      balance: balance?.ok ? BigInt(String(balance.result)).toString() : null,
      nonce: nonce?.ok ? Number(nonce.result) : null,
    };
  }

  describe({ chainId, up, balance, nonce }: ChainHealth): Answer<typeof ChainStatus> {
    const { config, chains } = this.#options;
    const actor = chains.find(chainId)?.actor;
    const problem = chains.problemOf(chainId);
    const { queued: waiting = 0, batchesInFlight = 0 } = actor?.settlement ?? {};
    const runway = this.#runway.observe(balance);
    const relayer = actor && { address: toChecksumAddress(actor.relayer.address), balance, nonce, ...runway };
    return {
      chainId,
      name: config.name,
      up,
      block: actor?.indexer.lastBlock?.number ?? 0,
      settlementQueue: { waiting, batchesInFlight },
      relayer: relayer ?? null,
      ...(problem && { problem: { kind: problem.kind, detail: problem.message } }),
    };
  }

  /** Empty values for a chain that has never answered. */
  async #askNode(): ReturnType<Rpc['batch']> {
    const chain = this.#options.chains.find(this.#options.config.chainId);
    if (chain === undefined) return [];
    const relayer = chain.actor?.relayer.address;
    const ofRelayer = ['eth_getBalance', 'eth_getTransactionCount'].map((method) => ({
      method,
      params: [relayer, 'latest'],
    }));
    return chain.rpc.batch([{ method: 'eth_blockNumber', params: [] }, ...(relayer === undefined ? [] : ofRelayer)]);
  }
}
