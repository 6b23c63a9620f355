// Reads of the chain, each answered by the part that has the data: the running node, the archive of old blocks, or an
// earlier node.
import { isObject } from '@presage/protocol';
import type { EdrNode } from '../edr-node.ts';
import { Ledger } from '../ledger.ts';
import { parseLogFilter } from '../rpc/log-filter.ts';
import { invalidParams, RpcError, rpcCode } from '../rpc/rpc-error.ts';
import type { ArchivedBlock } from './block-segment.ts';
import type { ChainPast } from './chain-past.ts';

type Params = readonly unknown[];
type Answer = (params: Params) => Promise<unknown>;

/** Methods that read the state of a block, with the index of the block parameter. */
const STATE_METHODS: Readonly<Record<string, number>> = {
  eth_call: 1,
  eth_estimateGas: 1,
  eth_getBalance: 1,
  eth_getCode: 1,
  eth_getTransactionCount: 1,
  debug_traceCall: 1,
  eth_getStorageAt: 2,
  eth_getProof: 2,
};

/** Tags of the newest block; on this chain it is always valid, so `safe` and `finalized` are the same block. */
const NEWEST = new Set<unknown>(['latest', 'safe', 'finalized']);
const TAGS = new Set<unknown>([...NEWEST, 'pending', 'earliest']);
const QUANTITY = /^0x[0-9a-f]+$/i;

/** Must be called inside the chain's queue, like the node itself. */
export class ChainView {
  readonly #ledger: () => Ledger;
  readonly #past: ChainPast | undefined;
  readonly #history: HistoryNode | undefined;
  readonly #methods: Readonly<Record<string, Answer>>;

  constructor(ledger: () => Ledger, past: ChainPast | undefined) {
    this.#ledger = ledger;
    this.#past = past;
    this.#history = past && new HistoryNode(past);
    this.#methods = past ? this.#oldBlockMethods(past) : {};
  }

  async request(method: string, params: Params = []): Promise<unknown> {
    if (method === 'eth_getLogs') return this.#readLogs(params[0]);
    const at = Object.hasOwn(STATE_METHODS, method) ? STATE_METHODS[method] : undefined;
    if (at !== undefined) requireBlockName(params, at);
    else if (method.includes('ByNumber')) requireBlockName(params, 0);
    if (this.#ledger().base === 0) return this.#node.request(method, params);
    const own = Object.hasOwn(this.#methods, method) ? this.#methods[method] : undefined;
    if (own) return own(params);
    const node = at === undefined ? this.#node : await this.#nodeWithState(params[at]);
    return node.request(method, params);
  }

  get #node(): EdrNode {
    return this.#ledger().node;
  }

  #oldBlockMethods(past: ChainPast): Record<string, Answer> {
    const { archive } = past;
    const byName = (key: string, method: string, answer: (old: ArchivedBlock, params: Params) => unknown): Answer => {
      return async (params) => {
        const number = key === 'Hash' ? archive.findBlock(params[0]) : this.#oldNumber(params[0]);
        if (number === undefined) return this.#node.request(method, params);
        return answer(await archive.read(number), params);
      };
    };
    const byTransaction = (method: string, answer: (old: ArchivedBlock, index: number) => unknown): Answer => {
      return async (params) => {
        const place = archive.findTransaction(params[0]);
        if (!place) return this.#node.request(method, params);
        return answer(await archive.read(place.number), place.index);
      };
    };
    return {
      ...Object.fromEntries(
        ['Number', 'Hash'].flatMap((key) => [
          [`eth_getBlockBy${key}`, byName(key, `eth_getBlockBy${key}`, (old, [, full]) => toBlockView(old, full))],
          [
            `eth_getBlockTransactionCountBy${key}`,
            byName(key, `eth_getBlockTransactionCountBy${key}`, ({ receipts }) => `0x${receipts.length.toString(16)}`),
          ],
          [
            `eth_getTransactionByBlock${key}AndIndex`,
            byName(key, `eth_getTransactionByBlock${key}AndIndex`, ({ block }, [, index]) => {
              return block.transactions[Number(index)] ?? null;
            }),
          ],
        ]),
      ),
      eth_getTransactionByHash: byTransaction('eth_getTransactionByHash', ({ block }, at) => block.transactions[at]),
      eth_getTransactionReceipt: byTransaction('eth_getTransactionReceipt', ({ receipts }, at) => receipts[at]),
      debug_traceTransaction: async (params) => {
        const place = archive.findTransaction(params[0]);
        const node = place && this.#history ? await this.#history.at(place.number) : this.#node;
        return node.request('debug_traceTransaction', params);
      },
    };
  }

  /** Number of a block that the running node does not have, by any of its names. */
  #oldNumber(name: unknown): number | undefined {
    const { base, head } = this.#ledger();
    if (name === 'earliest') return 0;
    if (NEWEST.has(name)) return head.number === base ? base : undefined;
    if (typeof name === 'object' && name !== null) {
      return this.#oldNumber(
        'blockHash' in name ? name.blockHash : 'blockNumber' in name ? name.blockNumber : undefined,
      );
    }
    if (typeof name !== 'string' || !QUANTITY.test(name)) return undefined;
    if (name.length === 66) return this.#past?.archive.findBlock(name);
    const number = Number(name);
    return number <= base ? number : undefined;
  }

  async #nodeWithState(name: unknown): Promise<EdrNode> {
    const number = this.#oldNumber(name);
    if (number === undefined || number === this.#ledger().base || !this.#history) return this.#node;
    return this.#history.at(number);
  }

  async #readLogs(filter: unknown): Promise<unknown> {
    const archive = this.#past?.archive;
    const wanted = isObject(filter) ? filter : {};
    if (wanted.blockHash !== undefined && wanted.blockHash !== null) {
      const number = archive?.findBlock(wanted.blockHash);
      if (number === undefined) return this.#node.request('eth_getLogs', [filter]);
      return archive?.readLogsOf(number, parseLogFilter(filter));
    }
    if (!isObject(filter)) return this.#node.request('eth_getLogs', [filter]);
    const { base, head } = this.#ledger();
    const first = toRangeEnd('fromBlock', wanted.fromBlock, head.number);
    const last = toRangeEnd('toBlock', wanted.toBlock, head.number);
    const askFor = (from: number, to: number) =>
      this.#node.read<unknown[]>('eth_getLogs', [{ ...wanted, fromBlock: toHex(from), toBlock: toHex(to) }]);
    if (!archive || base === 0 || first > base) return askFor(first, last);
    // Asked even if no block of the range is left for it: the node refuses a faulty filter in its own words.
    const newer = await askFor(base + 1, Math.max(last, base + 1));
    const older = await archive.readLogs(first, Math.min(last, base), parseLogFilter(filter));
    return last > base ? [...older, ...newer] : older;
  }
}

/**
 * Refuses other names here: the node would take other text for a number, and a node that began from a snapshot has
 * other blocks under old numbers.
 */
function requireBlockName(params: Params, at: number): void {
  const name = params[at];
  if (typeof name === 'number' || (typeof name === 'string' && !TAGS.has(name) && !QUANTITY.test(name))) {
    throw invalidParams(`invalid argument ${at}: a block is named by a tag, a hexadecimal number with 0x, or its hash`);
  }
}

/**
 * End of a range, at most right after the newest block: the node looks for each block of a range, even for future ones.
 */
function toRangeEnd(field: string, name: unknown, head: number): number {
  if (name === 'earliest') return 0;
  if (name === undefined || name === null || TAGS.has(name)) return head;
  if (typeof name === 'string' && QUANTITY.test(name)) return Math.min(Number(name), head + 1);
  throw invalidParams(`invalid argument 0: ${field} must be a tag or a hexadecimal number with 0x`);
}

function toBlockView({ block }: ArchivedBlock, full: unknown): unknown {
  if (typeof full !== 'boolean') throw invalidParams('the second parameter must be a boolean');
  return full ? block : { ...block, transactions: block.transactions.map(({ hash }) => hash) };
}

function toHex(value: number): string {
  return `0x${value.toString(16)}`;
}

const KEPT_MS = 60_000;
/**
 * Refused beyond this, as by a node without an archive of states: older states would need too many blocks to be
 * executed.
 */
const MAX_BLOCKS_AGAIN = 5_000;

/** Reads the state of old blocks: opens a node from an earlier snapshot and keeps it while it is in use. */
class HistoryNode {
  readonly #past: ChainPast;
  #ledger: Ledger | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(past: ChainPast) {
    this.#past = past;
  }

  /** Returns a node that has executed the block. */
  async at(number: number): Promise<EdrNode> {
    const ledger = await this.#ledgerFor(number);
    const missing = await this.#past.blocks(ledger.head.number + 1, number);
    for (const block of missing) await ledger.extendTo(block);
    this.#keep(ledger);
    return ledger.node;
  }

  async #ledgerFor(number: number): Promise<Ledger> {
    const known = this.#ledger;
    const isOnChain = known && this.#past.archive.findBlock(known.head.hash) === known.head.number;
    if (isOnChain && known.base <= number) return known;
    const start = await this.#past.openAt(number);
    if (number - start.base.number > MAX_BLOCKS_AGAIN) {
      throw new RpcError(rpcCode.server, `missing trie node: the state of block ${number} is not kept`);
    }
    return Ledger.resume(start, this.#past);
  }

  #keep(ledger: Ledger): void {
    this.#ledger = ledger;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#ledger = undefined;
    }, KEPT_MS).unref();
  }
}
