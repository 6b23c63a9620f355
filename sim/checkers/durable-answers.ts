// Checks during the life: an answer is durable, visible at once where it was given and soon everywhere; a transaction is journalled before it is sent.
import type { FrameSeal } from '@presage/journal';
import { type JournalRecord, type Receipt, toHex } from '@presage/protocol';
import type { PlacedByClient } from '../actors/client-log.ts';
import { CONFIRMATIONS } from '../world/sim-chain.ts';
import type { SimService } from '../world/sim-service.ts';
import type { World } from '../world/world.ts';

/** About as long as a client's read waits for the sequence it names. */
const READ_MS = 5_000;

export class DurableAnswers {
  readonly #world: World;
  /** Hashes of frames that any node has published, by their last sequence. */
  readonly #shown = new Map<string, string>();

  readonly #sent = new Set<string>();

  constructor(world: World) {
    this.#world = world;
    world.onSent = (raw) => this.#onSent(raw);
    world.onShown = (machine, batch) => {
      this.#onShown(machine, batch.frame);
      for (const record of batch.records) this.#onRecord(record);
    };
  }

  /** Checks the node that is about to answer. */
  check({ markets }: SimService, receipt: Receipt | undefined): void {
    const { database } = this.#world.site;
    if (database === undefined || receipt === undefined) return;
    const { partition, seq, frameHash } = receipt;
    if (!database.has(partition, seq, frameHash))
      this.#complain(`record ${seq} of ${partition} is answered and not durable`);
    const shown = markets.find((log) => log.partition === partition)?.lastSeq ?? 0;
    if (shown < seq) this.#complain(`record ${seq} of ${partition} is answered by a node that shows ${shown}`);
  }

  /** Checks any gateway: a client that names the sequence of its answer must be able to read it there. */
  async readElsewhere(order: PlacedByClient, { partition, seq, frameHash }: Receipt): Promise<void> {
    const { orderHash, marketId } = order;
    await this.#world.ask(1, async ({ reached, markets, host }) => {
      if (!(await reached(partition, seq, READ_MS))) return;
      const log = markets.find((each) => each.partition === partition);
      // The hash is read from the database, which may be unreachable at the moment.
      const hash = await log?.hashAt(seq).catch(() => undefined);
      if (hash !== undefined && `0x${hash}` !== frameHash)
        this.#complain(`record ${seq} of ${partition} is in ${frameHash}, and in ${hash} elsewhere`);
      // Orders of a closed market leave the books.
      const isListed = host.reads.market(marketId)?.status === 'open';
      if (isListed && host.reads.order(orderHash) === undefined)
        this.#complain(`${orderHash} was answered, and is unknown at a gateway that has applied it`);
    });
  }

  /** A transaction is journalled before it is sent; later it may be in an archive. */
  #onSent(raw: string): void {
    if (this.#sent.has(raw)) return;
    this.#sent.add(raw);
    if (!this.#world.site.holdsDurably(Buffer.from(raw)))
      this.#complain(`the transaction ${raw.slice(0, 20)} was sent before it was journalled`);
  }

  /** No trade is confirmed before its block is deep enough. */
  #onRecord(record: JournalRecord): void {
    if (record.type !== 'trade-moved' || record.stage !== 'confirmed' || this.#world.reorgs > 0) return;
    const { blockNumber = 0 } = record.settlement ?? {};
    const depth = this.#world.chain.head.number - blockNumber + 1;
    if (depth < CONFIRMATIONS) this.#complain(`trade ${record.tradeId} is confirmed at a depth of ${depth}`);
  }

  #onShown(machine: string, { partition, lastSeq, hash }: FrameSeal): void {
    const key = `${partition} ${lastSeq}`;
    const text = toHex(hash);
    const known = this.#shown.get(key) ?? text;
    this.#shown.set(key, known);
    if (known !== text)
      this.#complain(`${machine} shows ${text} at ${key}, and another node ${known}: the journal forked`);
    const { database } = this.#world.site;
    if (database !== undefined && !database.has(partition, lastSeq, text))
      this.#complain(`${machine} shows ${text} at ${key}, which is not durable`);
  }

  #complain(violation: string): void {
    this.#world.violations.push(violation);
  }
}
