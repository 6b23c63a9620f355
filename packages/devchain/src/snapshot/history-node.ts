// Answers questions about the state of old blocks: opens a node from an earlier snapshot and keeps it while it is asked.
import type { EdrNode } from '../edr-node.ts';
import { Ledger } from '../ledger.ts';
import { RpcError, rpcCode } from '../rpc/rpc-error.ts';
import type { ChainPast } from './chain-past.ts';

const KEPT_MS = 60_000;
/** As a node without an archive of states: older states would have to be executed from too far back. */
const MAX_BLOCKS_AGAIN = 5_000;

export class HistoryNode {
  readonly #past: ChainPast;
  #ledger: Ledger | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(past: ChainPast) {
    this.#past = past;
  }

  /** A node that has executed the block. */
  async at(number: number): Promise<EdrNode> {
    const ledger = await this.#ledgerFor(number);
    const missing = await this.#past.blocks(ledger.head.number + 1, number);
    for (const block of missing) await ledger.extendTo(block, block.transactions);
    this.#keep(ledger);
    return ledger.node;
  }

  release(): void {
    clearTimeout(this.#timer);
    this.#ledger = undefined;
  }

  async #ledgerFor(number: number): Promise<Ledger> {
    const known = this.#ledger;
    if (known && known.base <= number && this.#follows(known)) return known;
    const start = await this.#past.openAt(number);
    if (number - start.base.number > MAX_BLOCKS_AGAIN) {
      throw new RpcError(rpcCode.server, `missing trie node: the state of block ${number} is not kept`);
    }
    return Ledger.resume(start, this.#past);
  }

  #follows({ head }: Ledger): boolean {
    return this.#past.archive.findBlock(head.hash) === head.number;
  }

  #keep(ledger: Ledger): void {
    this.#ledger = ledger;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.release(), KEPT_MS);
    this.#timer.unref();
  }
}
