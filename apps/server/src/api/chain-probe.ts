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
  /** Balance of the relayer in wei. */
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
    const [balance, nonce] = await Promise.race([this.#askNode(), sleep(ANSWER_TIMEOUT_MS, [], { ref: false })]);
    return {
      chainId,
      up: balance?.ok === true,
      balance: balance?.ok ? BigInt(String(balance.result)).toString() : null,
      nonce: nonce?.ok ? Number(nonce.result) : null,
    };
  }

  describe({ chainId, up, balance, nonce }: ChainHealth): Answer<typeof ChainStatus> {
    const { config, chains } = this.#options;
    const chain = chains.find(chainId);
    const problem = chains.problemOf(chainId);
    const queue = { waiting: chain?.settlement.queued ?? 0, batchesInFlight: chain?.settlement.batchesInFlight ?? 0 };
    const runway = this.#runway.observe(balance);
    const relayer = chain && { address: toChecksumAddress(chain.relayer.address), balance, nonce, ...runway };
    return {
      chainId,
      name: config.name,
      up,
      block: chain?.indexer.lastBlock?.number ?? 0,
      settlementQueue: queue,
      relayer: relayer ?? null,
      ...(problem && { problem: { kind: problem.kind, detail: problem.message } }),
    };
  }

  /** Empty values for a chain that has never answered. */
  async #askNode(): ReturnType<Rpc['batch']> {
    const chain = this.#options.chains.find(this.#options.config.chainId);
    if (chain === undefined) return [];
    const { address } = chain.relayer;
    return chain.rpc.batch([
      { method: 'eth_getBalance', params: [address, 'latest'] },
      { method: 'eth_getTransactionCount', params: [address, 'latest'] },
    ]);
  }
}
