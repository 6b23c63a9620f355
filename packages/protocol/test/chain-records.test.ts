// Notes of a chain's modules: each topic is checked by its own schema, before it is written and after it is read.
import { describe, expect, it } from 'vitest';
import {
  type ChainNote,
  type ChainNoted,
  decodeRecord,
  encodeRecord,
  RECORD_VERSION,
  RecordInvalid,
} from '../src/index.ts';
import { CHAIN_NOTE_SHAPES } from '../src/records/chain-records.ts';
import { applySteps, kindOf } from '../src/records/record-upgrades.ts';

const hash = (byte: string) => `0x${byte.repeat(32)}` as const;
const wallet = (byte: string) => `0x${byte.repeat(20)}` as const;
const stamp = { v: 1, operationId: 'batch-1', nonce: 0 } as const;
const reserved = {
  ...stamp,
  type: 'nonce-reserved',
  purpose: 'operation',
  request: { to: wallet('c1'), data: '0x', value: '0', gasLimit: '21000' },
} as const;
const mined = {
  ...stamp,
  type: 'transaction-mined',
  hash: hash('d1'),
  blockNumber: 5,
  blockHash: hash('b5'),
  status: 'success',
} as const;
const relayed = {
  kind: 'relayed',
  operationId: 'call-1#1',
  digest: 'call-1',
  operation: 'split',
  owner: wallet('01'),
  nonces: [{ owner: wallet('01'), contract: wallet('c3'), next: '5' }],
  gasLimit: '250000',
  wallMs: 1,
  submittedAt: 1,
} as const;
const identity = {
  settlement: { name: 'PresageSettlement', version: '1' },
  conditionalTokens: { name: 'ConditionalTokensWithPermit', version: '1' },
  stablecoin: { name: 'Presage Test USD', version: '1', symbol: 'USDC', decimals: 6 },
  settlementGraceSeconds: 3_600,
  bondAmount: '100000000',
  bondPermitRequired: false,
  disputeWindowSeconds: 7_200,
};

/** One note a topic at least; the whole of today's forms is in the fixture journal-v5 of the server. */
const notes: ChainNote[] = [
  { topic: 'sender', body: reserved },
  { topic: 'relay-sender', body: mined },
  { topic: 'create-sender', body: { ...stamp, type: 'operation-abandoned', reason: 'the market exists' } },
  { topic: 'batch', body: { batchId: 'batch-1', trades: [{ marketId: hash('aa'), tradeId: 'aa-1', attempt: 1 }] } },
  { topic: 'relay', body: relayed },
  { topic: 'relay', body: { kind: 'claims-told', operationId: 'call-1#1', news: 'pending 0x' } },
  { topic: 'relay', body: { kind: 'permit-ended', orderHash: hash('0f') } },
  { topic: 'halt', body: { kind: 'changed', trader: wallet('01'), blockNumber: 5, effectiveAfter: null } },
  { topic: 'halt', body: { kind: 'rewound', toBlock: -1 } },
  { topic: 'pause', body: { kind: 'changed', marketId: hash('aa'), blockNumber: 5, isPaused: true } },
  { topic: 'pause', body: { kind: 'rewound', toBlock: 4 } },
  { topic: 'deception', body: { wallet: wallet('01'), tradeId: 'aa-1', attempt: 1 } },
  { topic: 'cursor', body: { v: 1, blocks: [] } },
  { topic: 'cursor', body: { v: 2, blocks: [{ number: 5, hash: hash('b5') }], next: 6 } },
  { topic: 'identity', body: identity },
];

const toRecord = (note: ChainNote): ChainNoted => ({ type: 'chain-noted', timeMs: 5, ...note });
const toBytes = (record: object) => new TextEncoder().encode(JSON.stringify({ v: RECORD_VERSION, ...record }));

const broken: [topic: string, fault: string, body: unknown][] = [
  ['sender', 'has another version', { ...reserved, v: 2 }],
  ['sender', 'is of an unknown type', { ...reserved, type: 'nonce-imagined' }],
  ['relay-sender', 'has a short hash', { ...mined, hash: '0xd1' }],
  ['create-sender', 'gives no reason', { ...stamp, type: 'operation-abandoned', reason: '' }],
  ['batch', 'has no trades', { batchId: 'batch-1' }],
  ['batch', 'has a trade of no market', { batchId: 'batch-1', trades: [{ tradeId: 'aa-1', attempt: 1 }] }],
  ['relay', 'is of an unknown kind', { ...relayed, kind: 'sent' }],
  ['relay', 'is of an unknown operation', { ...relayed, operation: 'redeem' }],
  ['relay', 'has a nonce of nobody', { ...relayed, nonces: [{ contract: wallet('c3'), next: '5' }] }],
  ['halt', 'does not say until when', { kind: 'changed', trader: wallet('01'), blockNumber: 5 }],
  ['pause', 'does not say which', { kind: 'changed', marketId: hash('aa'), blockNumber: 5 }],
  ['deception', 'is of no wallet', { tradeId: 'aa-1', attempt: 1 }],
  ['cursor', 'has another version', { v: 3, blocks: [], next: 1 }],
  ['cursor', 'has a block without a hash', { v: 2, blocks: [{ number: 5 }], next: 6 }],
  ['cursor', 'has a block number that is text', { v: 1, blocks: [{ number: '5', hash: hash('b5') }] }],
  ['identity', 'lacks the bond', { ...identity, bondAmount: undefined }],
];

describe('a note of a chain', () => {
  it('has a sample for every topic', () => {
    expect([...new Set(notes.map(({ topic }) => topic))].sort()).toEqual(Object.keys(CHAIN_NOTE_SHAPES).sort());
  });

  it.each(notes)('on $topic is written as plain JSON and comes back as it went', (note) => {
    const record = toRecord(note);
    const bytes = encodeRecord(record);
    expect(bytes).toEqual(toBytes(record));
    expect(decodeRecord(bytes)).toEqual(record);
  });

  it.each(notes)('on $topic is read from every version so far', (note) => {
    for (let version = 1; version < RECORD_VERSION; version++) {
      const bytes = toBytes({ ...toRecord(note), v: version });
      expect(decodeRecord(bytes)).toEqual(toRecord(note));
    }
  });

  it.each(broken)('on %s is neither written nor read if it %s', (topic, _, body) => {
    const record = { type: 'chain-noted', timeMs: 5, topic, body };
    expect(() => encodeRecord(record as ChainNoted)).toThrow(RecordInvalid);
    expect(() => decodeRecord(toBytes(record))).toThrow(`chain-noted/${topic}`);
  });

  it('on a topic of a newer program is refused by its name', () => {
    const record = { type: 'chain-noted', timeMs: 5, topic: 'weather', body: {} };
    expect(() => decodeRecord(toBytes(record))).toThrow('unknown record type chain-noted/weather');
  });

  it('is upgraded by the steps that name its topic, and by no other', () => {
    const rename = new Map([
      [
        'chain-noted/batch',
        (record: object) => ({ type: 'chain-noted', ...record, topic: 'batch', body: { upgraded: true } }),
      ],
    ]);
    const [batch, halt] = [notes[3]!, notes[8]!].map(toRecord) as [ChainNoted, ChainNoted];
    expect(applySteps([rename], { ...batch })).toEqual({ ...batch, body: { upgraded: true } });
    expect(applySteps([rename], { ...halt })).toEqual(halt);
    expect(kindOf(halt)).toBe('chain-noted/halt');
  });
});
