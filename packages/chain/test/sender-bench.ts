// Everything a test of one sender needs around it: journal, alarms, stages, and rounds that also mine.
import type { SenderRecord } from '@presage/protocol/sender-records';
import type { OperationView } from '../src/sender/operation-view.ts';
import type { SenderAlarm } from '../src/sender/sender-alarms.ts';
import type { TransactionSenderOptions } from '../src/sender/sender-options.ts';
import { TransactionSender } from '../src/sender/transaction-sender.ts';
import type { ChainFixture } from './chain-fixture.ts';
import { InterceptedRpc } from './intercepted-rpc.ts';
import { MemoryJournal } from './kill-switch.ts';
import { CHAIN_ID, SETTLER } from './sandbox-accounts.ts';

export class SenderBench {
  readonly rpc: InterceptedRpc;
  readonly memory = new MemoryJournal();
  readonly alarms: SenderAlarm[] = [];
  readonly stages: string[] = [];
  readonly sender: TransactionSender;
  readonly #chain: ChainFixture;

  constructor(chain: ChainFixture, options: Partial<TransactionSenderOptions> = {}) {
    this.#chain = chain;
    this.rpc = new InterceptedRpc(chain.rpc);
    this.sender = new TransactionSender({
      rpc: this.rpc,
      chainId: CHAIN_ID,
      account: SETTLER,
      journal: { append: async (record) => this.memory.append(record) },
      onAlarm: (alarm) => this.alarms.push(alarm),
      ...options,
    });
    this.sender.onChange(({ operationId, stage }) => this.stages.push(`${operationId} ${stage}`));
  }

  /** Rounds and blocks until the operation satisfies the condition. */
  async until(operationId: string, isReached: (operation: OperationView) => boolean): Promise<OperationView> {
    for (let round = 0; round < 60; round += 1) {
      await this.sender.advance();
      const operation = this.sender.status(operationId);
      if (operation !== undefined && isReached(operation)) return operation;
      await this.#chain.mine();
    }
    throw new Error(`${operationId} stays ${JSON.stringify(this.sender.status(operationId))}`);
  }

  records<T extends SenderRecord['type']>(type: T): Extract<SenderRecord, { type: T }>[] {
    return this.memory.records.filter((record) => record.type === type) as Extract<SenderRecord, { type: T }>[];
  }

  alarmTypes(): string[] {
    return this.alarms.map(({ type }) => type);
  }
}
