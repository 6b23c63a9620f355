// Records survive the trip to bytes and back, and nothing malformed is written or believed.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  type Assertion,
  DEFAULT_TERMS,
  decodeRecord,
  encodeRecord,
  type JournalRecord,
  RECORD_VERSION,
  RecordInvalid,
  toAcceptedJson,
  toPrice,
  toSize,
} from '../src/index.ts';
import { RECORD_SHAPES } from '../src/records/record-shapes.ts';
import { isChangedSince, type Kinded, kindOf } from '../src/records/record-upgrades.ts';

const hash = (byte: string) => `0x${byte.repeat(32)}` as const;
const wallet = (byte: string) => `0x${byte.repeat(20)}` as const;
const step = { marketId: hash('aa'), step: 3, timeMs: 1_800_000_000_123 };
const accepted: JournalRecord = {
  ...step,
  type: 'order-accepted',
  orderHash: hash('bb'),
  order: {
    marketId: hash('aa'),
    trader: wallet('01'),
    side: 0,
    outcome: 1,
    price: toPrice(550_000),
    size: toSize(Number.MAX_SAFE_INTEGER),
    nonce: 18_446_744_073_709_551_615n,
    expiration: 18_446_744_073_709_551_615n,
    makerFeeRecipient: wallet('00'),
  },
  signature: `0x${'11'.repeat(65)}`,
  terms: DEFAULT_TERMS,
  permit: { nonce: 1n, value: (1n << 256n) - 1n, deadline: 5n, v: 27, r: hash('cc'), s: hash('dd') },
};

const point = { transactionHash: hash('04'), blockNumber: 7, blockHash: hash('05') };
const assertion: Assertion = {
  id: hash('03'),
  proposer: wallet('01'),
  bondPayer: wallet('02'),
  proposedOutcome: 1,
  bondAmount: '100000000',
  assertionTime: 8,
  expirationTime: 9,
  disputed: true,
  disputer: wallet('03'),
  settled: true,
  settlementResolution: true,
  proposedAt: point,
  disputedAt: point,
  settledAt: point,
};
const fact = {
  timeMs: 5,
  marketId: hash('aa'),
  userAddress: wallet('01'),
  txHash: hash('04'),
  logIndex: 2,
  blockNumber: 7,
  blockHash: hash('05'),
  timestamp: 8,
};

const records: JournalRecord[] = [
  accepted,
  { ...step, type: 'market-closed', reason: 'expired' },
  {
    ...step,
    type: 'trade-matched',
    tradeId: 'aa-1',
    outcome: 0,
    price: toPrice(1),
    size: toSize(1),
    takerSide: 1,
    makerHash: hash('01'),
    takerHash: hash('02'),
    maker: wallet('01'),
    taker: wallet('02'),
  },
  {
    ...step,
    type: 'trade-failed',
    tradeId: 'aa-1',
    buyer: wallet('01'),
    seller: wallet('02'),
    faultParty: 'seller',
    reason: 'no shares',
  },
  // The form of the record before version 6.
  { ...step, type: 'trade-failed', tradeId: 'aa-2', faultParty: 'seller', reason: 'no shares' },
  { ...step, type: 'trade-failed', tradeId: 'aa-3', faultParty: 'chain', reason: 'filled', overfilled: 'buyer' },
  {
    type: 'trade-revived',
    timeMs: 5,
    marketId: hash('aa'),
    tradeId: 'aa-1',
    stage: 'confirmed',
    settlement: { transactionHash: hash('04'), batchIndex: 3, isBatch: true, attempt: 1, blockNumber: 7, minted: 1 },
  },
  { type: 'clock-offset-set', timeMs: 5, offsetSeconds: 7_200 },
  {
    type: 'operator-acted',
    timeMs: 5,
    actor: 'op_1',
    reason: 'a typo',
    action: {
      kind: 'edit-market',
      marketId: hash('aa'),
      texts: { question: 'Will it?', description: '', source: 'the news', category: 'sports', imageUrl: '' },
    },
  },
  {
    type: 'operator-acted',
    timeMs: 5,
    actor: 'op_1',
    reason: '',
    action: { kind: 'halt-trading', isHalted: true },
    approval: { id: 'ap_1', by: 'op_2' },
  },
  { type: 'price-pinned', timeMs: 5, asset: 'BTC', from: 1_800_000_000, price: 6_500_000_000_000 },
  { type: 'price-pinned', timeMs: 5, asset: 'BTC', from: 1_800_000_009, price: null },
  {
    type: 'position-synced',
    timeMs: 5,
    marketId: hash('aa'),
    userAddress: wallet('01'),
    yesShares: ((1n << 256n) - 1n).toString(),
    noShares: '0',
    blockNumber: 7,
  },
  {
    ...step,
    type: 'resolution-changed',
    resolution: {
      status: 'resolved',
      round: 1,
      assertion,
      history: [{ ...assertion, settlementResolution: false }],
      payouts: [0, 1_000_000],
      winningOutcome: 1,
      resolvedAt: point,
    },
  },
  { ...fact, type: 'shares-moved', cause: 'merge', yesShares: '-5', noShares: '-5' },
  {
    ...fact,
    type: 'shares-moved',
    cause: 'conversion',
    yesShares: '0',
    noShares: '-5',
    conversion: { gave: '3', got: '18446744073709551612', freed: '5' },
  },
  {
    ...step,
    type: 'resolution-changed',
    resolution: { status: 'void', round: 1, history: [], payouts: [1, 63], payoutDenominator: 64, resolvedAt: point },
  },
  { ...fact, type: 'payout-redeemed', yesShares: '3', noShares: '0', payout: '1', winningOutcome: -1 },
  { type: 'chain-rewound', timeMs: 5, chainId: 31_337, toBlock: 6, cause: 'reorg' },
  {
    type: 'claim-changed',
    timeMs: 5,
    claimId: 'ctf-redemption-1',
    txHash: hash('04'),
    userAddress: wallet('01'),
    marketAddress: wallet('02'),
    marketId: hash('aa'),
    payout: '10',
    winningOutcome: 0,
    submittedAt: 9,
    status: 'failed',
    reason: 'reverted',
  },
  {
    type: 'quick-market-changed',
    timeMs: 5,
    window: {
      asset: 'BTC',
      startTime: 900,
      stage: 'resolving',
      creation: {
        marketId: hash('aa'),
        contractAddress: wallet('02'),
        maker: wallet('01'),
        yesTokenId: '1',
        noTokenId: '2',
        createdAt: 800,
        blockNumber: 7,
        transactionHash: hash('04'),
      },
      id: 1,
      start: { price: '6500000000000', expo: -8, publishTime: 900, payload: '0x50' },
      end: { price: '-1', expo: -10, publishTime: 1_860, payload: '0x50' },
    },
  },
  { type: 'partitions-set', timeMs: 5, count: 4 },
  {
    type: 'journal-anchored',
    timeMs: 5,
    hash: `0x${'ab'.repeat(32)}`,
    heads: [
      {
        partition: 'm0',
        firstSeq: 1,
        lastSeq: 7,
        frameHash: `0x${'cd'.repeat(32)}`,
        timeMs: 4,
        signature: `0x${'ef'.repeat(64)}`,
      },
    ],
  },
  { type: 'chain-noted', timeMs: 5, topic: 'batch', body: { batchId: 'batch-1', trades: [] } },
  {
    type: 'chain-noted',
    timeMs: 5,
    topic: 'batch',
    body: { batchId: 'batch-1', trades: [], failed: [0], revived: [0] },
  },
  { type: 'token-used', timeMs: 5, keyId: 'key_1', nonce: '0a'.repeat(16), issuedAt: 1_800_000_000 },
];

/** The hash of all schemas: a record that looks otherwise is of another version. */
const KNOWN_SHAPES: Readonly<Record<number, string>> = {
  2: 'bf97bfc6d101fe78',
  3: 'bf97bfc6d101fe78',
  4: '92968c2e3e549713',
  // With `partitions-set` and `journal-anchored`: an older program refuses them by their type.
  // With a schema for each topic of `chain-noted`: nothing that was written looks otherwise (the server's fixture journal-v5).
  5: '2ff387a3ccd3edda',
  6: '451714e43f90d817',
  7: '4bc989ece3e1a1ec',
  8: 'a3751eef26078414',
  9: '9f549e537dfa6b25',
  10: 'd973b5b671c1d5a8',
  11: 'aa3d28c0382b4254',
  12: 'eceb5ac8ffff971a',
  13: '66bb2adb4b19793f',
};

/** As JSON of a version: what every record was before some became bytes. */
function withVersion(record: JournalRecord, version: number): Uint8Array {
  const json = record.type === 'order-accepted' ? toAcceptedJson(record) : record;
  return new TextEncoder().encode(JSON.stringify({ v: version, ...json }));
}

const point2 = { transactionHash: hash('04'), batchIndex: 3, isBatch: true, attempt: 1 };
const hot: JournalRecord[] = [
  accepted,
  {
    ...accepted,
    order: { ...accepted.order, side: 1, outcome: 0, nonce: 0n, makerFeeRecipient: wallet('07') },
    terms: { timeInForce: 'FOK', postOnly: true, selfTradePrevention: 'cancel_incoming', reduceOnly: true },
  },
  {
    ...step,
    type: 'trade-matched',
    tradeId: 'aa-1',
    outcome: 1,
    price: toPrice(999_999),
    size: toSize(Number.MAX_SAFE_INTEGER),
    takerSide: 1,
    makerHash: hash('01'),
    takerHash: hash('02'),
    maker: wallet('01'),
    taker: wallet('02'),
  },
  {
    ...step,
    type: 'order-cancelled',
    orderHash: hash('bb'),
    trader: wallet('01'),
    outcome: 1,
    side: 1,
    price: toPrice(550_000),
    remainingSize: 0,
    reason: 'heartbeat_lapsed',
  },
  { ...step, type: 'trade-moved', tradeId: 'aa-1', stage: 'retrying' },
  { ...step, type: 'trade-moved', tradeId: 'aa-1', stage: 'submitted', settlement: point2 },
  {
    ...step,
    type: 'trade-moved',
    tradeId: 'aa-1',
    stage: 'mined',
    settlement: { ...point2, isBatch: false, blockNumber: 7, blockHash: hash('05'), minted: 5_000_000_000 },
  },
];

describe('journal records', () => {
  it.each(records)('$type comes back as it went', (record) => {
    expect(decodeRecord(encodeRecord(record))).toEqual(record);
  });

  it('refuse to be written malformed', () => {
    const broken = { ...accepted, order: { ...accepted.order, price: toPrice(1) + 2_000_000 } } as JournalRecord;
    expect(() => encodeRecord(broken)).toThrow(RecordInvalid);
    expect(() => encodeRecord({ ...step, step: 0, type: 'market-closed', reason: 'expired' })).toThrow(RecordInvalid);
  });

  it('refuse to be read malformed or of an unknown type', () => {
    const json = JSON.parse(new TextDecoder().decode(withVersion(accepted, RECORD_VERSION))) as object;
    for (const change of [{ type: 'order-imagined' }, { signature: '0x' }, { timeMs: -1 }]) {
      const bytes = new TextEncoder().encode(JSON.stringify({ ...json, ...change }));
      expect(() => decodeRecord(bytes), JSON.stringify(change)).toThrow(RecordInvalid);
    }
    expect(() => decodeRecord(new TextEncoder().encode('{"type":"maker-set"}'))).toThrow('not a record');
  });

  it('of a newer version are refused in plain words', () => {
    const newer = `a record of version ${RECORD_VERSION + 1} was written by a newer program`;
    expect(() => decodeRecord(withVersion(accepted, RECORD_VERSION + 1))).toThrow(newer);
  });

  it('of version 1 are upgraded: the second a token was issued in was called ts', () => {
    const old = `{"v":1,"type":"token-used","timeMs":5,"keyId":"key_1","nonce":"${'0a'.repeat(16)}","ts":7}`;
    const upgraded = { type: 'token-used', timeMs: 5, keyId: 'key_1', nonce: '0a'.repeat(16), issuedAt: 7 };
    expect(decodeRecord(new TextEncoder().encode(old))).toEqual(upgraded);
    expect(decodeRecord(withVersion(accepted, 1))).toEqual(accepted);
  });

  it('of version 6 are upgraded: no order was reduce-only', () => {
    const { reduceOnly: _new, ...terms } = DEFAULT_TERMS;
    const older = { ...accepted, terms } as JournalRecord;
    expect(decodeRecord(withVersion(older, 6))).toEqual(accepted);
  });

  it.each(hot)('$type is written as bytes and comes back as it went', (record) => {
    const bytes = encodeRecord(record);
    expect(bytes[0]).toBeLessThan(32);
    expect(decodeRecord(bytes)).toEqual(record);
  });

  it.each(hot)('$type is still read from JSON of version 2', (record) => {
    expect(decodeRecord(withVersion(record, 2))).toEqual(record);
  });

  it('cut short or with bytes too many are refused', () => {
    for (const record of hot) {
      const bytes = encodeRecord(record);
      for (const length of [1, 40, bytes.length - 1]) {
        expect(() => decodeRecord(bytes.slice(0, length))).toThrow(RecordInvalid);
      }
      expect(() => decodeRecord(Uint8Array.of(...bytes, 0))).toThrow(RecordInvalid);
    }
  });

  it.each([
    ['a price of 0', { order: { ...accepted.order, price: 0 } }],
    ['a size that is no integer', { order: { ...accepted.order, size: 1.5 } }],
    ['a side of 2', { order: { ...accepted.order, side: 2 } }],
    ['a negative nonce', { order: { ...accepted.order, nonce: -1n } }],
    ['an order of another market', { order: { ...accepted.order, marketId: hash('ab') } }],
    ['a wallet in capitals', { order: { ...accepted.order, trader: `0x${'AB'.repeat(20)}` } }],
    ['a short signature', { signature: '0x11' }],
    ['an unknown term', { terms: { ...DEFAULT_TERMS, timeInForce: 'GTD' } }],
    ['a step of 0', { step: 0 }],
  ])('with %s is not written', (_, change) => {
    expect(() => encodeRecord({ ...accepted, ...change } as JournalRecord)).toThrow(RecordInvalid);
  });

  it('look as records of this version do: a change of shape needs a step in record-upgrades.ts', () => {
    const hash = createHash('sha256').update(JSON.stringify(RECORD_SHAPES)).digest('hex').slice(0, 16);
    const advice = `Add a step to record-upgrades.ts, and KNOWN_SHAPES[${RECORD_VERSION}] if the version is new`;
    expect(KNOWN_SHAPES[RECORD_VERSION], advice).toBe(hash);
  });

  it('are kept as fixtures in the newest form that a step upgrades', () => {
    const kept = new Set(readFixtures().map((record) => `version ${record.v} of ${kindOf(record)}`));
    const versions = Array.from({ length: RECORD_VERSION - 1 }, (_, index) => index + 1);
    const upgraded = versions.flatMap((version) =>
      Object.keys(RECORD_SHAPES)
        .filter((kind) => isChangedSince(version, kind) && !isChangedSince(version + 1, kind))
        .map((kind) => `version ${version} of ${kind}`),
    );
    const missing = upgraded.filter((form) => !kept.has(form));
    expect(missing, 'add a line of each to a file in apps/server/test/fixtures/journal-v<version>').toEqual([]);
  });
});

function readFixtures(): (Kinded & { readonly v: number })[] {
  const folder = new URL('../../../apps/server/test/fixtures/', import.meta.url);
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.jsonl'));
  const lines = names.flatMap((name) => readFileSync(new URL(name, folder), 'utf8').trim().split('\n'));
  return lines.map((line) => JSON.parse(line));
}
