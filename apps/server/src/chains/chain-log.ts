// The partition of one chain as its rooms use it: transactions, batches, quick markets, cursor, what the contracts say.
import type { LogCursor, SenderJournal, SenderRecord } from '@presage/chain';
import type { QuickMarketChanged } from '@presage/protocol';
import type { PartitionLog } from '../host/partition-log.ts';
import type { QuickJournal } from '../quick/ports.ts';
import type { RelayerJournal, RelayerRecord } from '../relayer/ports.ts';
import type { BatchJournal, BatchRecord } from '../settlement/ports.ts';
import type { ChainIdentity } from './chain-identity.ts';

type Topic = 'sender' | 'batch' | 'relay-sender' | 'relay' | 'cursor' | 'identity';

/** What earlier runs left. */
export interface ChainHistory {
  readonly senderRecords: readonly unknown[];
  readonly batches: readonly BatchRecord[];
  readonly quickRecords: readonly QuickMarketChanged[];
  readonly relaySenderRecords: readonly unknown[];
  readonly relays: readonly RelayerRecord[];
  readonly cursor: unknown;
  readonly identity: ChainIdentity | undefined;
}

export class ChainLog {
  readonly #log: PartitionLog;
  readonly #nowMs: () => number;
  readonly sender: SenderJournal = { append: (record: SenderRecord) => this.#note('sender', record) };
  readonly batches: BatchJournal = { append: (record) => this.#note('batch', record) };
  readonly quick: QuickJournal = { append: async (record) => void (await this.#log.append([record])) };
  readonly relaySender: SenderJournal = { append: (record: SenderRecord) => this.#note('relay-sender', record) };
  readonly relays: RelayerJournal = { append: (record) => this.#note('relay', record) };

  constructor(log: PartitionLog, nowMs: () => number) {
    this.#log = log;
    this.#nowMs = nowMs;
  }

  async history(): Promise<ChainHistory> {
    const quickRecords: QuickMarketChanged[] = [];
    const history: Record<Topic, unknown[]> = {
      sender: [],
      batch: [],
      cursor: [],
      identity: [],
      'relay-sender': [],
      relay: [],
    };
    for await (const { records } of this.#log.read(1)) {
      for (const record of records) {
        if (record.type === 'quick-market-changed') quickRecords.push(record);
        if (record.type !== 'chain-noted') continue;
        const bodies = history[record.topic as Topic];
        if (bodies === undefined) throw new Error(`the chain partition has an unknown topic ${record.topic}`);
        bodies.push(record.body);
      }
    }
    return {
      senderRecords: history.sender,
      batches: history.batch as BatchRecord[],
      quickRecords,
      relaySenderRecords: history['relay-sender'],
      relays: history.relay as RelayerRecord[],
      cursor: history.cursor.at(-1),
      identity: history.identity.at(-1) as ChainIdentity | undefined,
    };
  }

  saveCursor(cursor: LogCursor): Promise<void> {
    return this.#note('cursor', cursor);
  }

  saveIdentity(identity: ChainIdentity): Promise<void> {
    return this.#note('identity', identity);
  }

  async #note(topic: Topic, body: object): Promise<void> {
    await this.#log.append([{ type: 'chain-noted', timeMs: this.#nowMs(), topic, body: { ...body } }]);
  }
}
