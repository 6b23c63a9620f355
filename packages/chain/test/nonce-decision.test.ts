// Every case of "what now with this nonce", one row each.
import type { Hex } from '@presage/protocol';
import { describe, expect, it } from 'vitest';
import type { Receipt } from '../src/node-reader.ts';
import { decideNonce, findGaps, type NonceFacts } from '../src/sender/nonce-decision.ts';
import type { Attempt, Slot } from '../src/sender/nonce-slot.ts';

const hash = (digit: string): Hex => `0x${digit.repeat(64)}`;
const BLOCK = hash('b');
const OTHER_BLOCK = hash('c');

const POLICY = { confirmations: 3, finalityDepth: 10, replaceAfterBlocks: 4, maxReplacements: 2, receiptRounds: 3 };

const attempt = (number: number, kind: 'payload' | 'free' = 'payload'): Attempt => ({
  attempt: number,
  kind,
  hash: hash(String(number)),
  raw: '0x02',
  fees: { maxFeePerGas: 1n, maxPriorityFeePerGas: 1n },
});

const slotOf = (change: Partial<Slot> = {}): Slot => ({
  nonce: 5,
  operationId: 'op',
  purpose: 'operation',
  attempts: [attempt(0)],
  submitted: hash('0'),
  mined: null,
  request: { to: '0x00', data: '0x', value: '0', gasLimit: '21000' },
  confirmed: false,
  displaced: false,
  freeing: false,
  lostTo: null,
  ...change,
});

const factsOf = (change: Partial<NonceFacts> = {}): NonceFacts => ({
  headNumber: 100,
  chainNonce: 5,
  receipt: undefined,
  blockHashThere: undefined,
  inPool: true,
  sentAt: 99,
  underpriced: false,
  roundsWithoutReceipt: 0,
  ...change,
});

const receiptIn = (blockHash: Hex): Receipt => ({ hash: hash('0'), blockNumber: 99, blockHash, status: 'success' });
const minedAt = (blockNumber: number) => ({
  hash: hash('0'),
  blockNumber,
  blockHash: BLOCK,
  status: 'success' as const,
});

describe('an open nonce', () => {
  const cases: [string, Partial<Slot>, Partial<NonceFacts>, unknown][] = [
    ['is signed first', { attempts: [], submitted: null }, { inPool: undefined }, { act: 'sign', kind: 'payload' }],
    ['is signed as a self-transfer when unwanted', { attempts: [], freeing: true }, {}, { act: 'sign', kind: 'free' }],
    ['gets a self-transfer over its payload when unwanted', { freeing: true }, {}, { act: 'sign', kind: 'free' }],
    [
      'keeps its self-transfer',
      { freeing: true, attempts: [attempt(0), attempt(1, 'free')], submitted: hash('1') },
      {},
      { act: 'wait' },
    ],
    [
      'that somebody else took and gave back is freed, not reused',
      { lostTo: hash('9') },
      {},
      { act: 'sign', kind: 'free' },
    ],
    ['is sent again when the node has lost it', {}, { inPool: false }, { act: 'broadcast' }],
    ['waits when the node does not answer', {}, { inPool: undefined }, { act: 'wait' }],
    ['waits when all is well', {}, {}, { act: 'wait' }],
    ['is noted as broadcast when first seen', { submitted: null }, {}, { act: 'note-broadcast' }],
    ['is replaced when stuck', {}, { headNumber: 103, sentAt: 99 }, { act: 'sign', kind: 'payload' }],
    ['is not stuck behind a lower nonce', {}, { headNumber: 200, chainNonce: 4 }, { act: 'wait' }],
    ['is not stuck before this process has seen it sent', {}, { headNumber: 200, sentAt: null }, { act: 'wait' }],
    [
      'is given up after the last replacement',
      { attempts: [attempt(0), attempt(1), attempt(2)], submitted: hash('2') },
      { headNumber: 200 },
      { act: 'sign', kind: 'free' },
    ],
    ['is signed anew when its fees were refused', {}, { underpriced: true }, { act: 'sign', kind: 'payload' }],
    [
      'is mined when a canonical receipt shows it',
      {},
      { receipt: receiptIn(BLOCK), chainNonce: 6 },
      { act: 'mine', receipt: receiptIn(BLOCK) },
    ],
  ];
  it.each(cases)('%s', (_, slot, facts, decision) => {
    expect(decideNonce(slotOf(slot), factsOf(facts), POLICY)).toEqual(decision);
  });
});

describe('a used nonce without a receipt of ours', () => {
  const cases: [string, Partial<NonceFacts>, string][] = [
    ['waits while the answer is unknown', { receipt: undefined, roundsWithoutReceipt: 9 }, 'wait'],
    ['waits a few rounds, for receipts come late', { receipt: null, roundsWithoutReceipt: 2 }, 'wait'],
    ['is investigated then', { receipt: null, roundsWithoutReceipt: 3 }, 'investigate'],
  ];
  it.each(cases)('%s', (_, facts, act) => {
    expect(decideNonce(slotOf(), factsOf({ chainNonce: 6, ...facts }), POLICY)).toEqual({ act });
  });
});

describe('a mined nonce', () => {
  const cases: [string, Partial<Slot>, Partial<NonceFacts>, unknown][] = [
    ['waits while its block was not looked at', {}, {}, { act: 'wait' }],
    ['waits below the confirmations', {}, { blockHashThere: BLOCK, headNumber: 100 }, { act: 'wait' }],
    ['is confirmed at the confirmations', {}, { blockHashThere: BLOCK, headNumber: 101 }, { act: 'confirm' }],
    ['is still watched after that', { confirmed: true }, { blockHashThere: BLOCK, headNumber: 108 }, { act: 'wait' }],
    [
      'is final below the watched depth',
      { confirmed: true },
      { blockHashThere: BLOCK, headNumber: 109 },
      { act: 'finalize' },
    ],
    ['is not moved while receipts are unknown', {}, { blockHashThere: OTHER_BLOCK }, { act: 'wait' }],
    [
      'is unmined when its block and its receipt no longer exist',
      {},
      { blockHashThere: OTHER_BLOCK, receipt: null },
      { act: 'unmine' },
    ],
    ['is unmined when the chain has become shorter', {}, { blockHashThere: null, receipt: null }, { act: 'unmine' }],
    [
      'waits when header and receipt contradict each other',
      {},
      { blockHashThere: OTHER_BLOCK, receipt: receiptIn(BLOCK) },
      { act: 'wait' },
    ],
    [
      'moves with its receipt',
      { confirmed: true },
      { blockHashThere: null, receipt: receiptIn(OTHER_BLOCK) },
      { act: 'move', receipt: receiptIn(OTHER_BLOCK) },
    ],
  ];
  it.each(cases)('%s', (_, slot, facts, decision) => {
    expect(decideNonce(slotOf({ mined: minedAt(99), ...slot }), factsOf({ chainNonce: 6, ...facts }), POLICY)).toEqual(
      decision,
    );
  });
});

describe('gaps', () => {
  it('are the free nonces between the chain and our highest', () => {
    const slots = [3, 5, 8].map((nonce) => slotOf({ nonce }));
    expect(findGaps(slots, 4)).toEqual([4, 6, 7]);
    expect(findGaps(slots, 3)).toEqual([4, 6, 7]);
    expect(findGaps(slots, 9)).toEqual([]);
    expect(findGaps([], 2)).toEqual([]);
  });
});
