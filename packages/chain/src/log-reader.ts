// Reads the logs of a range of blocks and accepts only those that belong to exactly these blocks.
import { asHex, type Hex, toLowerHex } from '@presage/protocol';
import { type Address, hexToBytes, keccak256 } from 'viem';
import type { BlockHeader } from './header-memory.ts';
import { garbage, parseHash, parseIndex, toQuantity } from './quantity.ts';
import { type Rpc, RpcUnavailable } from './rpc.ts';

export interface WatchedLog {
  readonly address: Address;
  readonly topics: readonly Hex[];
  readonly data: Hex;
  readonly blockHash: Hex;
  readonly transactionHash: Hex;
  readonly logIndex: number;
}

/** The node's answers contradict each other: it is between two forks, or wrong. Retry. */
export class ChainInconsistent extends Error {
  override readonly name = 'ChainInconsistent';
}

export class LogReader {
  readonly #rpc: Rpc;
  readonly #filters: () => readonly LogFilter[];
  readonly #blooms = new WeakMap<LogFilter, BloomQuery>();

  /** A filter function is called at every read; its result is only encoded again if it is another object. */
  constructor(rpc: Rpc, filters: LogFilters) {
    this.#rpc = rpc;
    this.#filters = typeof filters === 'function' ? filters : () => filters;
  }

  /** Logs by block hash, in block order; the headers must be consecutive. */
  async read(headers: readonly BlockHeader[]): Promise<Map<Hex, WatchedLog[]>> {
    const found = new Map<Hex, Map<number, WatchedLog>>(headers.map(({ hash }) => [hash, new Map()]));
    for (const filter of this.#filters()) {
      const bloom = this.#bloomOf(filter);
      const suspects = headers.filter(({ logsBloom }) => bloom.mayMatch(logsBloom));
      if (suspects.length === 0) continue;
      for (const log of await this.#readFilter(filter, headers, suspects))
        found.get(log.blockHash)!.set(log.logIndex, log);
    }
    return new Map(
      [...found].map(([hash, logs]) => [hash, [...logs.values()].sort((a, b) => a.logIndex - b.logIndex)]),
    );
  }

  #bloomOf(filter: LogFilter): BloomQuery {
    const known = this.#blooms.get(filter) ?? new BloomQuery(filter);
    this.#blooms.set(filter, known);
    return known;
  }

  async #readFilter(filter: LogFilter, headers: readonly BlockHeader[], suspects: readonly BlockHeader[]) {
    const logs = headers.length === 1 ? [] : await this.#readRange(filter, headers);
    const seen = new Set(logs.map(({ blockHash }) => blockHash));
    // The bloom says "perhaps" and the range query said "no": query that block by its hash.
    for (const header of suspects.filter(({ hash }) => !seen.has(hash)))
      logs.push(...(await this.#readBlock(filter, header)));
    return logs;
  }

  async #readRange(filter: LogFilter, headers: readonly BlockHeader[]): Promise<WatchedLog[]> {
    const range = { fromBlock: toQuantity(headers[0]!.number), toBlock: toQuantity(headers.at(-1)!.number) };
    const hashes = new Map(headers.map(({ number, hash }) => [number, hash]));
    return this.#query(filter, range, (log, number) => hashes.get(number) === log.blockHash);
  }

  /** An empty answer is asked for twice: a node that has just learned of the block may not have its logs yet. */
  async #readBlock(filter: LogFilter, header: BlockHeader): Promise<WatchedLog[]> {
    const read = () => this.#query(filter, { blockHash: header.hash }, (log) => log.blockHash === header.hash);
    const logs = await read();
    return logs.length > 0 ? logs : read();
  }

  async #query(
    filter: LogFilter,
    where: Readonly<Record<string, Hex>>,
    belongs: (log: WatchedLog, blockNumber: number) => boolean,
  ): Promise<WatchedLog[]> {
    const { addresses: address, topics } = filter;
    const answer = await this.#rpc.request('eth_getLogs', [
      { ...where, ...(address && { address }), ...(topics && { topics }) },
    ]);
    if (!Array.isArray(answer)) throw garbage('a list of logs', answer);
    return answer.map((entry: Record<string, unknown>) => {
      const log = parseLog(entry);
      if (entry.removed === true || !belongs(log, parseIndex(entry.blockNumber))) {
        throw new ChainInconsistent(
          `log ${log.logIndex} of ${log.transactionHash} belongs to another block ${log.blockHash}`,
        );
      }
      return log;
    });
  }
}

function parseLog(entry: Record<string, unknown>): WatchedLog {
  if (!Array.isArray(entry.topics)) throw new RpcUnavailable('garbage', 'a log without topics');
  return {
    address: toLowerHex(String(entry.address)),
    topics: entry.topics.map(parseHash),
    data: asHex(entry.data),
    blockHash: parseHash(entry.blockHash),
    transactionHash: parseHash(entry.transactionHash),
    logIndex: parseIndex(entry.logIndex),
  };
}

/** Topic positions are alternatives: any address and, for every position, any of its values; null matches all. */
export interface LogFilter {
  readonly addresses?: readonly Address[];
  readonly topics?: readonly (Hex | readonly Hex[] | null)[];
}

/** A fixed list, or a function called at each use. */
export type LogFilters = readonly LogFilter[] | (() => readonly LogFilter[]);

const BLOOM_BYTES = 256;
const BLOOM_BITS = BLOOM_BYTES * 8;

export class BloomQuery {
  readonly #groups: readonly (readonly (readonly number[])[])[];

  constructor(filter: LogFilter) {
    const topics = (filter.topics ?? []).map((topic) => (typeof topic === 'string' ? [topic] : topic));
    const groups = [filter.addresses ?? null, ...topics].filter((group) => group !== null);
    this.#groups = groups.filter((group) => group.length > 0).map((group) => group.map(toBits));
  }

  mayMatch(logsBloom: Hex): boolean {
    const bloom = hexToBytes(logsBloom);
    // Without a full bloom nothing can be ruled out.
    if (bloom.length !== BLOOM_BYTES) return true;
    return this.#groups.every((group) => group.some((bits) => bits.every((bit) => isSet(bloom, bit))));
  }
}

function toBits(value: Hex): number[] {
  const hash = keccak256(hexToBytes(value), 'bytes');
  return [0, 2, 4].map((index) => ((hash[index]! << 8) | hash[index + 1]!) % BLOOM_BITS);
}

function isSet(bloom: Uint8Array, bit: number): boolean {
  return (bloom[BLOOM_BYTES - 1 - (bit >> 3)]! & (1 << (bit & 7))) !== 0;
}
