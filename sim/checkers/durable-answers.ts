// What must hold at the very moment of an answer in a cluster: it is durable, shown where it was asked, and soon everywhere.
import type { FrameSeal } from '@presage/journal';
import { type Receipt, toHex } from '@presage/protocol';
import type { PlacedByClient } from '../actors/client-log.ts';
import type { SimService } from '../world/sim-service.ts';
import type { World } from '../world/world.ts';

/** A client's read waits about so long for what it names. */
const READ_MS = 5_000;

export class DurableAnswers {
  readonly #world: World;
  /** Hashes of frames that any node has shown, by their last sequence. */
  readonly #shown = new Map<string, string>();

  constructor(world: World) {
    this.#world = world;
    world.onShown = (machine, frame) => this.#onShown(machine, frame);
  }

  /** In the node that is about to answer. */
  check({ markets }: SimService, receipt: Receipt | undefined): void {
    const { database } = this.#world.site;
    if (database === undefined || receipt === undefined) return;
    const { partition, seq, frameHash } = receipt;
    if (!database.has(partition, seq, frameHash))
      this.#complain(`record ${seq} of ${partition} is answered and not durable`);
    const shown = markets.find((log) => log.partition === partition)?.lastSeq ?? 0;
    if (shown < seq) this.#complain(`record ${seq} of ${partition} is answered by a node that shows ${shown}`);
  }

  /** At any gateway: whoever names what they were answered reads it there. */
  async readElsewhere(order: PlacedByClient, { partition, seq, frameHash }: Receipt): Promise<void> {
    const { orderHash, marketId } = order;
    await this.#world.ask(1, async ({ reached, markets, host }) => {
      if (!(await reached(partition, seq, READ_MS))) return;
      const log = markets.find((each) => each.partition === partition);
      // Read from the database, which may be unreachable just now.
      const hash = await log?.hashAt(seq).catch(() => undefined);
      if (hash !== undefined && `0x${hash}` !== frameHash)
        this.#complain(`record ${seq} of ${partition} is in ${frameHash}, and in ${hash} elsewhere`);
      // Orders of a market that is over leave the books.
      const isListed = host.reads.market(marketId)?.status === 'open';
      if (isListed && host.reads.order(orderHash) === undefined)
        this.#complain(`${orderHash} was answered, and is unknown at a gateway that has applied it`);
    });
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
