// A chain from which consecutive worlds start: its blocks are executed once, and each world's blocks are removed before the next.
import {
  type BlockRecord,
  type ChainRecord,
  Ledger,
  type RecoveredChain,
  recoverChain,
} from '@presage/devchain/in-process';
import { MemoryChainLog } from './memory-chain-log.ts';

export class PreparedChain {
  readonly #recovered: RecoveredChain;
  /** The newest blocks, without transactions: a world's reorgs may remove them. */
  readonly #top: readonly BlockRecord[];
  #snapshot: string;

  private constructor(recovered: RecoveredChain, top: readonly BlockRecord[], snapshot: string) {
    this.#recovered = recovered;
    this.#top = top;
    this.#snapshot = snapshot;
  }

  /** `depth` exceeds any reorg of a world. */
  static async open(records: readonly ChainRecord[], depth: number): Promise<PreparedChain> {
    const [newGenesis] = records;
    if (newGenesis?.type !== 'genesis') throw new Error('a chain begins with genesis');
    const count = records.length - depth;
    const log = new MemoryChainLog(records.slice(0, count));
    const recovered = await recoverChain({ log, newGenesis, onProgress: () => undefined });
    const top = records.slice(count).map((record) => {
      if (record.type !== 'block' || record.block.transactions.length > 0) throw new Error('the newest must be empty');
      return record.block;
    });
    return new PreparedChain(recovered, top, await recovered.ledger.node.read<string>('evm_snapshot'));
  }

  /** Restores the prepared chain; the previous world must have ended. */
  async begin(): Promise<RecoveredChain> {
    const { node, head } = this.#recovered.ledger;
    if ((await node.request('evm_revert', [this.#snapshot])) !== true)
      throw new Error('the preparation was taken back');
    this.#snapshot = await node.read<string>('evm_snapshot');
    const ledger = await Ledger.resume({ node, base: head });
    for (const block of this.#top) await ledger.extendTo({ ...block, transactions: [] });
    return { ...this.#recovered, ledger };
  }
}
