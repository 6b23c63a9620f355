// Typed appends to the partition of one chain: transactions, batches, quick markets, cursor, identity of the contracts.
import type { SenderJournal } from '@presage/chain';
import type {
  BatchRecord,
  ChainIdentity,
  ChainNote,
  DeceptionRecord,
  HaltNote,
  LogCursor,
  PauseNote,
  RelayerRecord,
} from '@presage/protocol';
import type { PartitionLog } from '../host/partition-log.ts';
import type { AnchorJournal } from '../proof/anchors.ts';
import type { QuickJournal } from '../quick/window-runner.ts';

export class ChainLog {
  readonly #log: PartitionLog;
  readonly #nowMs: () => number;
  readonly sender: SenderJournal = { append: (body) => this.#note({ topic: 'sender', body }) };
  readonly batches = { append: (body: BatchRecord) => this.#note({ topic: 'batch', body }) };
  readonly deceptions = { append: (body: DeceptionRecord) => this.#note({ topic: 'deception', body }) };
  readonly quick: QuickJournal = { append: async (record) => void (await this.#log.append([record])) };
  readonly relaySender: SenderJournal = { append: (body) => this.#note({ topic: 'relay-sender', body }) };
  readonly createSender: SenderJournal = { append: (body) => this.#note({ topic: 'create-sender', body }) };
  readonly relays = { append: (body: RelayerRecord) => this.#note({ topic: 'relay', body }) };

  readonly anchors: Pick<AnchorJournal, 'append'> = {
    append: async (record) => void (await this.#log.append([record])),
  };

  constructor(log: PartitionLog, nowMs: () => number) {
    this.#log = log;
    this.#nowMs = nowMs;
  }

  /** Rejects if another node has taken over the chain. */
  confirm(): Promise<void> {
    return this.#log.confirm();
  }

  saveCursor(body: LogCursor): Promise<void> {
    return this.#note({ topic: 'cursor', body });
  }

  noteHalt(body: HaltNote): Promise<void> {
    return this.#note({ topic: 'halt', body });
  }

  notePause(body: PauseNote): Promise<void> {
    return this.#note({ topic: 'pause', body });
  }

  saveIdentity(body: ChainIdentity): Promise<void> {
    return this.#note({ topic: 'identity', body });
  }

  async #note(note: ChainNote): Promise<void> {
    await this.#log.append([{ type: 'chain-noted', timeMs: this.#nowMs(), ...note }]);
  }
}
