// The past of the running node: blocks before its base, and nodes that begin earlier.
import { type GenesisRecord, hardforkOf } from '../chain-record.ts';
import { EdrNode } from '../edr-node.ts';
import type { LedgerBlock, LedgerPast, PastNode } from '../ledger.ts';
import type { BlockArchive } from './block-archive.ts';
import type { ArchivedBlock } from './block-segment.ts';
import { openNodeAt } from './seeded-node.ts';
import type { Snapshot } from './snapshot-file.ts';
import type { SnapshotStore } from './snapshot-store.ts';

export class ChainPast implements LedgerPast {
  readonly store: SnapshotStore;
  readonly archive: BlockArchive;
  readonly genesis: GenesisRecord;

  constructor(store: SnapshotStore, genesis: GenesisRecord, archive: BlockArchive) {
    this.store = store;
    this.genesis = genesis;
    this.archive = archive;
  }

  async blocks(first: number, last: number): Promise<LedgerBlock[]> {
    const blocks: LedgerBlock[] = [];
    for (let number = first; number <= last; number += 1) blocks.push(toLedgerBlock(await this.archive.read(number)));
    return blocks;
  }

  /** Opens a node from the newest valid snapshot at or below the block, or from genesis if there is none. */
  async openAt(number: number): Promise<PastNode> {
    for (const name of await this.store.list()) {
      if (name.number > number) continue;
      const snapshot = await this.store.read(name, this.genesis);
      if (!snapshot || this.archive.findBlock(snapshot.origin.hash) !== snapshot.origin.number) continue;
      const node = await this.#tryOpen(snapshot);
      if (node) return { node, base: toLedgerBlock(await this.archive.read(snapshot.origin.number)) };
    }
    return this.#openGenesis();
  }

  forgetAbove(number: number): void {
    this.archive.truncate(number);
  }

  async #tryOpen({ origin, state }: Snapshot): Promise<EdrNode | undefined> {
    try {
      return await openNodeAt(origin, state);
    } catch (error) {
      this.store.onDamage(`the snapshot of block ${origin.number} was passed over: ${String(error)}`);
      return undefined;
    }
  }

  async #openGenesis(): Promise<PastNode> {
    const { chainId, blockGasLimit, time } = this.genesis;
    const hardfork = hardforkOf(this.genesis);
    const node = await EdrNode.open({ chainId, hardfork, blockGasLimit, genesisTime: time });
    return { node, base: toLedgerBlock(await this.archive.read(0)) };
  }
}

function toLedgerBlock({ block, branch, bodies }: ArchivedBlock): LedgerBlock {
  return {
    number: Number(block.number),
    time: Number(block.timestamp),
    hash: block.hash,
    branch,
    transactions: bodies.map((body, index) => {
      const { hash, from, nonce } = block.transactions[index]!;
      return { hash, from, nonce: Number(nonce), body };
    }),
  };
}
