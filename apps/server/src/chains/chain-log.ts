// The partition of one chain as its modules use it: transactions, batches, quick markets, cursor, what the contracts say.
import type { LogCursor, SenderJournal, SenderRecord } from '@presage/chain';
import type { PartitionLog } from '../host/partition-log.ts';
import type { AnchorJournal } from '../proof/anchors.ts';
import type { QuickJournal } from '../quick/ports.ts';
import type { RelayerJournal } from '../relayer/ports.ts';
import type { BatchJournal } from '../settlement/ports.ts';
import type { ChainIdentity } from './chain-identity.ts';
import type { HaltNote } from './trading-halts.ts';

type Topic = 'sender' | 'batch' | 'relay-sender' | 'create-sender' | 'relay' | 'halt' | 'cursor' | 'identity';

export class ChainLog {
  readonly #log: PartitionLog;
  readonly #nowMs: () => number;
  readonly sender: SenderJournal = { append: (record: SenderRecord) => this.#note('sender', record) };
  readonly batches: BatchJournal = { append: (record) => this.#note('batch', record) };
  readonly quick: QuickJournal = { append: async (record) => void (await this.#log.append([record])) };
  readonly relaySender: SenderJournal = { append: (record: SenderRecord) => this.#note('relay-sender', record) };
  readonly createSender: SenderJournal = { append: (record: SenderRecord) => this.#note('create-sender', record) };
  readonly relays: RelayerJournal = { append: (record) => this.#note('relay', record) };

  readonly anchors: Pick<AnchorJournal, 'append'> = {
    append: async (record) => void (await this.#log.append([record])),
  };

  constructor(log: PartitionLog, nowMs: () => number) {
    this.#log = log;
    this.#nowMs = nowMs;
  }

  saveCursor(cursor: LogCursor): Promise<void> {
    return this.#note('cursor', cursor);
  }

  noteHalt(note: HaltNote): Promise<void> {
    return this.#note('halt', note);
  }

  saveIdentity(identity: ChainIdentity): Promise<void> {
    return this.#note('identity', identity);
  }

  async #note(topic: Topic, body: object): Promise<void> {
    await this.#log.append([{ type: 'chain-noted', timeMs: this.#nowMs(), topic, body: { ...body } }]);
  }
}
