// A history of a chain's partition drawn from a seed: batches and relayed calls with their transactions, windows, cursors.
import {
  type ChainTopic,
  decodeRecord,
  type Hex,
  type JournalRecord,
  type QuickMarketChanged,
  type QuickStage,
  RECORD_VERSION,
} from '@presage/protocol';
import type { SeededRandom } from '@presage/testkit';

const WORDS = { sender: 'batch', 'relay-sender': 'call' } as const;
type SenderTopic = keyof typeof WORDS;

interface OpenTransaction {
  readonly operationId: string;
  readonly nonce: number;
  readonly hash: string;
  stage: 'reserved' | 'signed' | 'submitted' | 'mined' | 'confirmed';
  block: number;
}

const MOST_OPEN = 20;
const STAGES: readonly QuickStage[] = ['created', 'striking', 'open', 'resolving', 'settled'];

export class RandomChainHistory {
  readonly #random: SeededRandom;
  readonly #open: Record<SenderTopic, OpenTransaction[]> = { sender: [], 'relay-sender': [] };
  readonly #count: Record<SenderTopic, number> = { sender: 0, 'relay-sender': 0 };
  readonly #windows = new Map<number, number>();
  #block = 1;

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  /** Records that belong together. */
  next(): JournalRecord[] {
    const draw = this.#random.int(0, 9);
    if (draw < 2) return this.#begin('sender');
    if (draw < 3) return this.#begin('relay-sender');
    if (draw < 5) return [this.#moveWindow()];
    if (draw < 6)
      return [
        this.#random.pick([
          () => this.#changeHalts(),
          () => this.#changePauses(),
          () => this.#deceive(),
          () => this.#saveCursor(),
          () => this.#anchor(),
        ])(),
      ];
    return this.#advance(this.#random.int(0, 1) === 0 ? 'sender' : 'relay-sender');
  }

  #begin(topic: SenderTopic): JournalRecord[] {
    if (this.#open[topic].length === MOST_OPEN) return this.#advance(topic);
    const number = ++this.#count[topic];
    const operationId = `${WORDS[topic]}-${number}`;
    const nonce = number - 1;
    const hash = toHash(topic === 'sender' ? 1 : 2, number);
    this.#open[topic].push({ operationId, nonce, hash, stage: 'reserved', block: 0 });
    const request = { to: `0x${'a'.repeat(40)}`, data: '0x1234', value: '0', gasLimit: '21000' };
    const reserved = { v: 1, operationId, nonce, type: 'nonce-reserved', purpose: 'operation', request };
    return [this.#intentOf(topic, operationId, number), note(topic, reserved)];
  }

  #intentOf(topic: SenderTopic, operationId: string, number: number): JournalRecord {
    if (topic === 'sender') {
      return note('batch', {
        batchId: operationId,
        trades: [{ marketId: toHash(3, 1), tradeId: `t${number}`, attempt: 1 }],
      });
    }
    const owner = `0x${'b'.repeat(40)}`;
    const call = {
      digest: `d${number % 7}`,
      operation: 'ctf-redemption',
      owner,
      nonces: [],
      gasLimit: '1',
      wallMs: 1,
      submittedAt: 1,
    };
    return note('relay', { kind: 'relayed', operationId, ...call });
  }

  #advance(topic: SenderTopic): JournalRecord[] {
    const open = this.#open[topic];
    if (open.length === 0) return this.#begin(topic);
    const index = this.#random.int(0, open.length - 1);
    const transaction = open[index] as OpenTransaction;
    const { operationId, nonce, hash } = transaction;
    const body = this.#moveOn(transaction);
    if (body.type === 'transaction-finalized') open.splice(index, 1);
    return [note(topic, { v: 1, operationId, nonce, hash, ...body })];
  }

  #moveOn(transaction: OpenTransaction): Record<string, unknown> & { type: string } {
    const blockHash = toHash(4, transaction.block || this.#block);
    switch (transaction.stage) {
      case 'reserved':
        transaction.stage = 'signed';
        return {
          type: 'transaction-signed',
          attempt: 0,
          kind: 'payload',
          raw: '0x99',
          maxFeePerGas: '9',
          maxPriorityFeePerGas: '1',
        };
      case 'signed':
        transaction.stage = 'submitted';
        return { type: 'transaction-broadcast' };
      case 'submitted':
        transaction.stage = 'mined';
        transaction.block = this.#block++;
        return {
          type: 'transaction-mined',
          blockNumber: transaction.block,
          blockHash: toHash(4, transaction.block),
          status: 'success',
        };
      case 'mined':
        if (this.#random.int(0, 4) === 0) {
          transaction.stage = 'submitted';
          return { type: 'transaction-unmined', blockHash };
        }
        transaction.stage = 'confirmed';
        return { type: 'transaction-confirmed', blockHash };
      case 'confirmed':
        return { type: 'transaction-finalized' };
    }
  }

  #moveWindow(): QuickMarketChanged {
    const number = this.#random.int(1, 400);
    const stage = Math.min((this.#windows.get(number) ?? -1) + 1, STAGES.length - 1);
    this.#windows.set(number, stage);
    const creation = {
      marketId: toHash(5, number),
      contractAddress: `0x${'c'.repeat(40)}` as const,
      maker: `0x${'d'.repeat(40)}` as const,
      yesTokenId: '1',
      noTokenId: '2',
      createdAt: number,
      blockNumber: 1,
      transactionHash: toHash(6, number),
    };
    const window = { asset: 'BTC', startTime: number * 900, stage: STAGES[stage] as QuickStage, creation };
    return { type: 'quick-market-changed', timeMs: 1, window: stage < 2 ? window : { ...window, id: number } };
  }

  #changeHalts(): JournalRecord {
    if (this.#random.int(0, 9) === 0) return note('halt', { kind: 'rewound', toBlock: this.#block - 2 });
    const trader = `0x${'0'.repeat(39)}${this.#random.int(1, 5)}`;
    const effectiveAfter = this.#random.int(0, 1) === 0 ? null : this.#block + 300;
    return note('halt', { kind: 'changed', trader, blockNumber: this.#block, effectiveAfter });
  }

  #changePauses(): JournalRecord {
    if (this.#random.int(0, 9) === 0) return note('pause', { kind: 'rewound', toBlock: this.#block - 2 });
    const marketId = toHash(8, this.#random.int(1, 5));
    const isPaused = this.#random.int(0, 1) === 0;
    return note('pause', { kind: 'changed', marketId, blockNumber: this.#block, isPaused });
  }

  #deceive(): JournalRecord {
    const wallet = `0x${'0'.repeat(39)}${this.#random.int(1, 5)}`;
    return note('deception', { wallet, tradeId: `aa-${this.#random.int(1, 20)}`, attempt: this.#random.int(1, 2) });
  }

  #anchor(): JournalRecord {
    const hash = toHash(7, this.#random.int(1, 400));
    return { type: 'journal-anchored', timeMs: this.#random.int(1, 1_000), hash, heads: [] };
  }

  #saveCursor(): JournalRecord {
    return note('cursor', { v: 1, blocks: [{ number: this.#block, hash: toHash(4, this.#block) }] });
  }
}

/** Written and read as the journal does, which checks that the drawn note is one that the service could have written. */
function note(topic: ChainTopic, body: object): JournalRecord {
  const line = JSON.stringify({ v: RECORD_VERSION, type: 'chain-noted', timeMs: 1, topic, body });
  return decodeRecord(new TextEncoder().encode(line));
}

function toHash(kind: number, number: number): Hex {
  return `0x${kind}${number.toString(16).padStart(63, '0')}`;
}
