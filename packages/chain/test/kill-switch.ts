// Kills a sender between any two of its steps: from then on none of its calls ever returns, as in a dead process.
import type { SenderRecord } from '@presage/protocol/sender-records';
import type { Rpc, RpcCall, RpcOutcome } from '../src/rpc.ts';
import type { SenderJournal } from '../src/sender/sender-ledger.ts';

/** What survives a death: exactly the records that were durable. */
export class MemoryJournal {
  readonly records: SenderRecord[] = [];

  append(record: SenderRecord): void {
    this.records.push(JSON.parse(JSON.stringify(record)) as SenderRecord);
  }
}

export class KillSwitch {
  readonly died: Promise<string>;
  #steps = 0;
  #dead = false;
  #die: (where: string) => void = () => undefined;
  readonly #killAt: number;
  readonly #counted: RegExp;

  /** Dies at the given step, counted from 1 among the steps whose name matches; Infinity lives for ever. */
  constructor(killAt: number, counted = /./) {
    this.#killAt = killAt;
    this.#counted = counted;
    this.died = new Promise((resolve) => {
      this.#die = resolve;
    });
  }

  /** Passes while alive; hangs for ever from the fatal step on. */
  step(where: string): Promise<void> | undefined {
    if (!this.#dead && this.#counted.test(where)) this.#steps += 1;
    if (!this.#dead && this.#steps < this.#killAt) return undefined;
    this.#dead = true;
    this.#die(where);
    return new Promise(() => undefined);
  }

  /** A journal that syncs in groups, as a disk does: what waits for the next sync dies with the process. */
  journal(memory: MemoryJournal, syncMs = 0): SenderJournal {
    const waiting: (() => void)[] = [];
    const sync = () => {
      for (const write of waiting.splice(0)) if (!this.#dead) write();
    };
    const write = (record: SenderRecord) =>
      new Promise<void>((resolve) => {
        if (waiting.length === 0) setTimeout(sync, syncMs);
        waiting.push(() => {
          memory.append(record);
          resolve();
        });
      });
    return {
      append: async (record) => {
        await this.step(`before ${record.type}`);
        await write(record);
        await this.step(`after ${record.type}`);
      },
    };
  }

  rpc(inner: Rpc): Rpc {
    return {
      request: (method, params) => this.#around(method, () => inner.request(method, params)),
      batch: (calls: readonly RpcCall[]) =>
        this.#around<RpcOutcome[]>(`batch of ${calls[0]?.method}`, () => inner.batch(calls)),
    };
  }

  async #around<T>(label: string, ask: () => Promise<T>): Promise<T> {
    await this.step(`before ${label}`);
    const answer = await ask();
    await this.step(`after ${label}`);
    return answer;
  }
}
