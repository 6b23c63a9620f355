// Checks orders that return to the book against the chain: their traders may have cancelled them there while they were filled and nothing was open.
import type { OrderView } from '@presage/engine';
import type { JournalRecord, OrderHash } from '@presage/protocol';
import { RepeatedWork } from '@presage/runtime';
import type { ChainContext } from '../chains/chain-context.ts';

const RETRY_POLLS = 10;
/** Orders read at one block. Reading all open orders after a start may take longer than a node keeps the state of a block. */
const ORDERS_PER_BLOCK = 2_000;

export class RestoredOrders {
  readonly #context: ChainContext;
  readonly #checks: RepeatedWork<OrderHash>;

  constructor(context: ChainContext) {
    const { log, pollMs } = context;
    this.#context = context;
    this.#checks = new RepeatedWork({
      work: (hashes) => this.#cancelWithdrawn(hashes),
      onTrouble: (error) => log.warn({ error: String(error) }, 'restored orders could not be checked; retrying'),
      pauseMs: pollMs * RETRY_POLLS,
    });
  }

  /** Checks a restored order. A cancel in a later block finds it open, and the indexer cancels it. */
  follow(record: JournalRecord): void {
    if (record.type === 'order-restored') this.#checks.add(record.orderHash);
  }

  /** Checks all open orders: an earlier run may have been killed between a return and its check, and an open order does not show whether it has returned. */
  checkAll(open: readonly OrderView[]): void {
    this.#checks.addAll(open.map(({ signed }) => signed.orderHash));
  }

  close(): Promise<void> {
    return this.#checks.close();
  }

  async #cancelWithdrawn(hashes: readonly OrderHash[]): Promise<void> {
    for (let from = 0; from < hashes.length; from += ORDERS_PER_BLOCK) {
      await this.#cancelWithdrawnOf(hashes.slice(from, from + ORDERS_PER_BLOCK));
    }
  }

  async #cancelWithdrawnOf(hashes: readonly OrderHash[]): Promise<void> {
    const { reads, node, contracts, commands } = this.#context;
    const open = hashes.flatMap((hash) => reads.order(hash) ?? []).filter(({ status }) => status === 'open');
    if (open.length === 0) return;
    const questions = open.map(({ signed: { order } }) => {
      const { trader, marketId, nonce } = order;
      return contracts.settlement.reading('cancelEffectiveAfter', [trader, marketId, nonce]);
    });
    const { hash } = await node.head();
    const answers = await contracts.readTogether(questions, { block: { hash } });
    const withdrawn = open.filter((_, at) => (answers[at] ?? 0n) > 0n);
    await Promise.all(
      withdrawn.map(({ signed: { orderHash, order } }) => commands.cancelOnChain(order.marketId, orderHash)),
    );
  }
}
