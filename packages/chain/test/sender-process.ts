// A sender as a process of its own, with its journal in a file: it kills itself, for real, at a given step.
import { appendFileSync, closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import type { Hex } from '@presage/protocol';
import type { SenderRecord } from '@presage/protocol/sender-records';
import { JsonRpc } from '../src/json-rpc.ts';
import { isRpcFailure } from '../src/rpc.ts';
import type { TransactionRequest } from '../src/sender/sender-options.ts';
import { TransactionSender } from '../src/sender/transaction-sender.ts';
import { CHAIN_ID, SETTLER } from './sandbox-accounts.ts';

export interface SenderProcessConfig {
  readonly url: string;
  readonly journalPath: string;
  readonly killAtStep: number;
  readonly operations: readonly { operationId: string; to: Hex; data: Hex }[];
}

const config = JSON.parse(readFileSync(process.argv[2]!, 'utf8')) as SenderProcessConfig;
let steps = 0;

function step(): void {
  steps += 1;
  if (steps === config.killAtStep) process.kill(process.pid, 'SIGKILL');
}

/** Complete lines only: a torn last line was never acknowledged. */
function readRecords(): unknown[] {
  appendFileSync(config.journalPath, '');
  const text = readFileSync(config.journalPath, 'utf8');
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown);
}

const records = readRecords();
const file = openSync(config.journalPath, 'a');
const rpc = new JsonRpc({ url: config.url, timeoutMs: 500 });

async function around<T>(ask: () => Promise<T>): Promise<T> {
  step();
  const answer = await ask();
  step();
  return answer;
}

async function append(record: SenderRecord): Promise<void> {
  step();
  writeSync(file, `${JSON.stringify(record)}\n`);
  fsyncSync(file);
  step();
}

const sender = new TransactionSender({
  rpc: {
    request: (method, params) => around(() => rpc.request(method, params)),
    batch: (calls) => around(() => rpc.batch(calls)),
  },
  chainId: CHAIN_ID,
  account: SETTLER,
  journal: { append },
  records,
  confirmations: 2,
  maxInFlight: 8,
});

async function enqueue(request: TransactionRequest): Promise<void> {
  for (;;) {
    try {
      await sender.enqueue(request);
      return;
    } catch (error) {
      if (!isRpcFailure(error)) throw error;
    }
  }
}

let waiting = config.operations.length;
for (const operation of config.operations) {
  void enqueue({ ...operation, gasLimit: 100_000n }).then(() => {
    waiting -= 1;
  });
}
while (waiting > 0 || !sender.isSettled) {
  await sender.advance();
  await new Promise((resolve) => setTimeout(resolve, 5));
}
await sender.close();
rpc.close();
closeSync(file);
