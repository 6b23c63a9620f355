// What the snapshot tests share: a chain in this process on a directory, seeded transactions, and everything it answers.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Hex } from 'viem';
import { JournalChainLog } from '../src/chain-log.ts';
import { Faults } from '../src/faults.ts';
import { RpcRouter } from '../src/rpc/rpc-router.ts';
import { SandboxChain } from '../src/sandbox-chain.ts';
import { keyOf, type SandboxRole } from '../src/sandbox-keys.ts';
import { SnapshotStore } from '../src/snapshot/snapshot-store.ts';
import { SOMEBODY, signAs } from './chain-client.ts';

export interface OpenChain {
  readonly chain: SandboxChain;
  readonly damages: readonly string[];
  ask<T>(method: string, ...params: unknown[]): Promise<T>;
  close(): Promise<void>;
}

/** `snapshots: 'none'` executes every block again with one node, as if snapshots had never been invented. */
export async function openChain(
  dataDir: string,
  snapshots: string | 'none' = 'snapshots',
  snapshotGas?: number,
): Promise<OpenChain> {
  const damages: string[] = [];
  const log = await JournalChainLog.open(dataDir);
  try {
    const onDamage = (message: string) => void damages.push(message);
    const dir = join(dataDir, snapshots);
    const store = snapshots === 'none' ? undefined : await SnapshotStore.open({ dir, onDamage });
    const rare = snapshotGas === undefined ? {} : { snapshotGas };
    const chain = await SandboxChain.open({ log, store, blockIntervalMs: 0, lingerMs: 0, ...rare });
    chain.holdMining(true);
    const router = new RpcRouter({ chain, faults: new Faults(), onFaults: () => {} });
    return {
      chain,
      damages,
      ask: <T>(method: string, ...params: unknown[]) => router.call(method, params) as Promise<T>,
      close: () => chain.close(),
    };
  } catch (error) {
    await log.close();
    throw error;
  }
}

/** Numbers that follow from a seed. */
export class Dice {
  readonly #seed: string;
  #rolls = 0;

  constructor(seed: string) {
    this.#seed = seed;
  }

  /** From 0 to below `sides`. */
  roll(sides: number): number {
    this.#rolls += 1;
    return createHash('sha256').update(`${this.#seed}:${this.#rolls}`).digest().readUInt32BE() % sides;
  }
}

/** `sstore(calldataload(0), calldataload(32))`, a log with both, and the balance forwarded to somebody. */
const KEEPER_RUNTIME = '6020355f3560203581555f52602052602060205f5fa25f5f5f5f34625a3e005af100';
/** Counts its calls in slot 0, and keeps the randomness of the block in slot `number`. */
const COUNTER_RUNTIME = '5f546001015f5544435500';

function toCreation(runtime: string): Hex {
  return `0x60${(runtime.length / 2).toString(16).padStart(2, '0')}8060095f395ff3${runtime}`;
}

const SENDERS: readonly SandboxRole[] = ['owner', 'settler', 'relayer', 'feedSigner'];

/** Does to a chain, at random, everything that its log can hold. */
export class ChainActivity {
  readonly contracts: Hex[] = [];
  readonly hashes: Hex[] = [];
  readonly #dice: Dice;

  constructor(dice: Dice) {
    this.#dice = dice;
  }

  async run(open: OpenChain, count: number): Promise<void> {
    for (let done = 0; done < count; done += 1) await this.#one(open);
  }

  async #one(open: OpenChain): Promise<void> {
    const kind = this.#dice.roll(24);
    if (kind === 0) return void (await open.ask('presage_setTimeOffset', this.#dice.roll(1_000_000)));
    if (kind === 1 && open.chain.head.number > 0) return this.#reorganise(open);
    if (kind === 2) return void (await open.ask('presage_mine', 1 + this.#dice.roll(20)));
    if (kind === 3) return void (await this.deploy(open));
    if (kind === 4) return this.#sendAs(open);
    await this.call(open);
    if (this.#dice.roll(2) === 0) await open.ask('presage_mine');
  }

  async #reorganise(open: OpenChain): Promise<void> {
    const deepest = Math.min(64, open.chain.head.number);
    const depth = 1 + this.#dice.roll(this.#dice.roll(3) === 0 ? deepest : Math.min(3, deepest));
    const transactions = (['keep', 'drop', 'shuffle'] as const)[this.#dice.roll(3)];
    await open.ask('presage_reorg', { depth, transactions });
  }

  async deploy(open: OpenChain, given?: string): Promise<Hex | undefined> {
    const runtime = given ?? (this.#dice.roll(2) === 0 ? KEEPER_RUNTIME : COUNTER_RUNTIME);
    const hash = await this.#send(open, { data: toCreation(runtime), gas: 500_000n });
    await open.ask('presage_mine');
    const receipt = await open.ask<{ contractAddress: Hex } | null>('eth_getTransactionReceipt', hash);
    if (receipt) this.contracts.push(receipt.contractAddress);
    return receipt?.contractAddress;
  }

  async #sendAs(open: OpenChain): Promise<void> {
    const from = this.contracts.at(this.#dice.roll(5)) ?? SOMEBODY;
    this.hashes.push(await open.ask<Hex>('presage_sendAs', { from, to: SOMEBODY, data: '0x01' }));
  }

  async call(open: OpenChain, given?: Hex): Promise<void> {
    const to = given ?? (this.contracts.length > 0 ? this.contracts[this.#dice.roll(this.contracts.length)] : SOMEBODY);
    // A few keys and many values, zero among them: slots are made, changed and emptied.
    const words = [this.#dice.roll(40), this.#dice.roll(3) === 0 ? 0 : this.#dice.roll(1_000_000)];
    const data: Hex = `0x${words.map((word) => word.toString(16).padStart(64, '0')).join('')}`;
    await this.#send(open, { to: to ?? SOMEBODY, data, value: BigInt(this.#dice.roll(2) * this.#dice.roll(1_000)) });
  }

  async #send(open: OpenChain, params: { to?: Hex; data: Hex; value?: bigint; gas?: bigint }): Promise<Hex> {
    const role = SENDERS[this.#dice.roll(SENDERS.length)]!;
    const nonce = Number(await open.ask<Hex>('eth_getTransactionCount', keyOf(role).address, 'pending'));
    const feeWei = BigInt(this.#dice.roll(2) * (1 + this.#dice.roll(1_000)));
    const raw = await signAs(role, { nonce, gas: 300_000n, feeWei, ...params });
    const hash = await open.ask<Hex>('eth_sendRawTransaction', raw);
    this.hashes.push(hash);
    return hash;
  }
}

/** So many blocks with a transaction each, a contract among ten. */
export async function mineMixed(open: OpenChain, activity: ChainActivity, blocks: number): Promise<void> {
  for (let mined = 0; mined < blocks; mined += 1) {
    if (mined % 10 === 0) await activity.deploy(open);
    else await activity.call(open);
    await open.ask('presage_mine');
  }
}

/** Everything a client can learn of the chain: equal portraits, equal chains. */
export async function readEverything(open: OpenChain, activity: ChainActivity): Promise<Record<string, unknown>> {
  const { number } = open.chain.head;
  const tags = Array.from({ length: number + 1 }, (_, index) => toTag(index));
  const middle = tags[number >> 1];
  const accounts = [SOMEBODY, ...SENDERS.map((role) => keyOf(role).address), ...new Set(activity.contracts)];
  const slots = Array.from({ length: 45 }, (_, index) => toTag(index));
  const each = <T, R>(items: readonly T[], ask: (item: T) => Promise<R>) => Promise.all(items.map(ask));
  // Block by block: of old ones the chain keeps the last few that it has read and unpacked.
  const blocks: unknown[] = [];
  for (const tag of tags) blocks.push(await readBlock(open, tag));
  return {
    blocks,
    tagged: await each(['earliest', 'finalized', 'latest'], (tag) => open.ask('eth_getBlockByNumber', tag, true)),
    transactions: await each(activity.hashes, (hash) =>
      each(['eth_getTransactionByHash', 'eth_getTransactionReceipt'], (method) => open.ask(method, hash)),
    ),
    logs: await open.ask('eth_getLogs', { fromBlock: 'earliest', toBlock: 'latest' }),
    laterLogs: await open.ask('eth_getLogs', { fromBlock: middle }),
    earlierLogs: await open.ask('eth_getLogs', {
      fromBlock: '0x0',
      toBlock: middle,
      address: activity.contracts.slice(0, 2),
    }),
    topicLogs: await open.ask('eth_getLogs', { fromBlock: '0x1', topics: [[`0x${'5'.padStart(64, '0')}`], null] }),
    balances: await each(accounts, (account) => open.ask('eth_getBalance', account, 'latest')),
    nonces: await each(accounts, (account) => open.ask('eth_getTransactionCount', account, 'latest')),
    pendingNonces: await each(accounts, (account) => open.ask('eth_getTransactionCount', account, 'pending')),
    codes: await each(accounts, (account) => open.ask('eth_getCode', account, 'latest')),
    storage: await each(accounts.slice(5), (account) =>
      each(slots, (slot) => open.ask('eth_getStorageAt', account, slot, 'latest')),
    ),
    waiting: await open.ask('eth_pendingTransactions'),
    offset: open.chain.clock.offsetSeconds,
  };
}

/** A block in each way of asking for it. */
async function readBlock(open: OpenChain, tag: string): Promise<readonly unknown[]> {
  const block = await open.ask<{ hash: Hex }>('eth_getBlockByNumber', tag, true);
  return Promise.all([
    block,
    open.ask('eth_getBlockByHash', block.hash, false),
    open.ask('eth_getBlockTransactionCountByNumber', tag),
    open.ask('eth_getTransactionByBlockNumberAndIndex', tag, '0x0'),
    open.ask('eth_getLogs', { blockHash: block.hash }),
  ]);
}

function toTag(number: number): string {
  return `0x${number.toString(16)}`;
}
