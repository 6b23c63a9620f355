// The small rules a sender is built of: fees, answers, records, their sum.
import type { Hex } from '@presage/protocol';
import type { SenderRecord } from '@presage/protocol/sender-records';
import { keccak256 } from 'viem';
import { describe, expect, it } from 'vitest';
import { RpcError, RpcUnavailable } from '../src/rpc.ts';
import { createFeeStrategy, followRecentTip, toReplacementFees } from '../src/sender/fees.ts';
import { NonceAllocator } from '../src/sender/nonce-allocator.ts';
import { type BroadcastAnswer, readBroadcastAnswer } from '../src/sender/nonce-broadcaster.ts';
import { checkSenderRecord, SenderLedger } from '../src/sender/sender-ledger.ts';
import { SenderState } from '../src/sender/sender-state.ts';
import { planMoves } from '../src/sender/unsigned-operations.ts';

const HASH: Hex = `0x${'1'.repeat(64)}`;
const BLOCK: Hex = `0x${'2'.repeat(64)}`;
const RAW: Hex = '0x02f8';

const base = { v: 1, operationId: 'op', nonce: 4 } as const;
const RESERVED: SenderRecord = {
  ...base,
  type: 'nonce-reserved',
  purpose: 'operation',
  request: { to: '0x00000000000000000000000000000000000000aa', data: '0x01', value: '0', gasLimit: '21000' },
};
const SIGNED: SenderRecord = {
  ...base,
  type: 'transaction-signed',
  attempt: 0,
  kind: 'payload',
  hash: keccak256(RAW),
  raw: RAW,
  maxFeePerGas: '10',
  maxPriorityFeePerGas: '1',
};

describe('replacement fees', () => {
  it.each([
    [
      { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n },
      { maxFeePerGas: 1n, maxPriorityFeePerGas: 1n },
    ],
    [
      { maxFeePerGas: 100n, maxPriorityFeePerGas: 9n },
      { maxFeePerGas: 110n, maxPriorityFeePerGas: 10n },
    ],
    [
      { maxFeePerGas: 101n, maxPriorityFeePerGas: 101n },
      { maxFeePerGas: 112n, maxPriorityFeePerGas: 112n },
    ],
  ])('rise by a tenth, rounded up, at least one wei: %o', (previous, expected) => {
    expect(toReplacementFees(previous, previous)).toEqual(expected);
  });

  it('follow the market when it rose by more', () => {
    const fees = toReplacementFees(
      { maxFeePerGas: 10n, maxPriorityFeePerGas: 1n },
      { maxFeePerGas: 50n, maxPriorityFeePerGas: 1n },
    );
    expect(fees).toEqual({ maxFeePerGas: 50n, maxPriorityFeePerGas: 2n });
  });

  it('start from the base fee', async () => {
    const strategy = createFeeStrategy({ leastTip: 3n });
    expect(await strategy({ attempt: 0, baseFeePerGas: 7n, previous: null })).toEqual({
      maxFeePerGas: 17n,
      maxPriorityFeePerGas: 3n,
    });
  });
});

describe('the tip that others pay', () => {
  const history = (...tips: string[]) => ({ reward: tips.map((tip) => [tip]) });
  const following = (answer: () => unknown, nowMs = () => 0) => {
    let asked = 0;
    const rpc = {
      request: async () => {
        asked += 1;
        return answer();
      },
      batch: async () => [],
    };
    return { tip: followRecentTip({ rpc, nowMs }), asked: () => asked };
  };

  it('is the median of the last blocks, empty ones left out', async () => {
    expect(await following(() => history('0x5', '0x0', '0x9', '0x7')).tip()).toBe(7n);
  });

  it('is offered where it exceeds the least of the settings, and the least where it does not', async () => {
    const { tip: recentTip } = following(() => history('0x9'));
    const market = { attempt: 0, baseFeePerGas: 10n, previous: null };
    expect(await createFeeStrategy({ leastTip: 3n, recentTip })(market)).toEqual({
      maxFeePerGas: 29n,
      maxPriorityFeePerGas: 9n,
    });
    expect(await createFeeStrategy({ leastTip: 30n, recentTip })(market)).toMatchObject({ maxPriorityFeePerGas: 30n });
  });

  it('is asked for once in ten seconds, and nothing where the node has no history', async () => {
    let nowMs = 0;
    const refusing = following(
      () => {
        throw new RpcError(-32601, 'the method does not exist');
      },
      () => nowMs,
    );
    for (nowMs of [0, 9_999, 10_000]) expect(await refusing.tip()).toBe(0n);
    expect(refusing.asked()).toBe(2);
  });
});

describe('an answer to a broadcast', () => {
  const cases: [string, BroadcastAnswer][] = [
    ['already known', 'maybe'],
    ['Known transaction: 0x12', 'maybe'],
    ['nonce too low: next nonce 5, tx nonce 4', 'maybe'],
    ['Transaction nonce too low. Expected nonce to be at least 5 but got 4.', 'maybe'],
    ['OldNonce', 'maybe'],
    ['replacement transaction underpriced', 'underpriced'],
    ['max fee per gas less than block base fee: address 0x0', 'underpriced'],
    ['insufficient funds for gas * price + value', 'unfunded'],
    ["Sender doesn't have enough funds to send tx.", 'unfunded'],
    ['exceeds block gas limit', 'oversized'],
    ['intrinsic gas too low: gas 1, minimum needed 21000', 'refused'],
    ['the database is locked', 'maybe'],
  ];
  it.each(cases)('of "%s" is read as %s', (message, answer) => {
    expect(readBroadcastAnswer({ ok: false, error: new RpcError(-32000, message) }, HASH)).toBe(answer);
  });

  it('is an acceptance only if it names our hash', () => {
    expect(readBroadcastAnswer({ ok: true, result: HASH.toUpperCase().replace('0X', '0x') }, HASH)).toBe('accepted');
    expect(readBroadcastAnswer({ ok: true, result: BLOCK }, HASH)).toBe('maybe');
    expect(readBroadcastAnswer({ ok: true, result: null }, HASH)).toBe('maybe');
  });

  it('that never came proves nothing', () => {
    expect(readBroadcastAnswer({ ok: false, error: new RpcUnavailable('timeout', 'x') }, HASH)).toBe('unreachable');
  });
});

describe('a sender record', () => {
  it('passes through JSON unchanged', () => {
    for (const record of [RESERVED, SIGNED]) {
      expect(checkSenderRecord(JSON.parse(JSON.stringify(record)))).toEqual(record);
    }
  });

  const broken: [string, unknown, RegExp][] = [
    ['is no object', 'x', /not an object/],
    ['has another version', { ...RESERVED, v: 2 }, /version/],
    ['has an unknown type', { ...RESERVED, type: 'toString' }, /unknown type/],
    ['has no operation', { ...RESERVED, operationId: '' }, /operationId/],
    ['has a negative nonce', { ...RESERVED, nonce: -1 }, /nonce/],
    ['has a fractional nonce', { ...RESERVED, nonce: 1.5 }, /nonce/],
    ['has a request without an address', { ...RESERVED, request: { to: '0x1' } }, /request/],
    ['has odd bytes', { ...SIGNED, raw: '0x123' }, /raw/],
    ['has a short hash', { ...SIGNED, hash: '0x12' }, /hash/],
    ['has a fee that is no amount', { ...SIGNED, maxFeePerGas: '01' }, /maxFeePerGas/],
  ];
  it.each(broken)('is refused when it %s', (_, record, message) => {
    expect(() => checkSenderRecord(record)).toThrow(message);
  });

  it('with bytes that do not hash to its hash is refused at replay', () => {
    const records = [RESERVED, { ...SIGNED, hash: HASH }];
    const open = () =>
      new SenderLedger({
        journal: { append: async () => undefined },
        records,
        retainFinalized: 1,
        onChange: () => undefined,
      });
    expect(open).toThrow(/do not hash/);
  });

  it('with bytes that do not hash to its hash is refused when it loses its block, before the bytes could be sent again', async () => {
    const receipt = { blockNumber: 7, blockHash: BLOCK, status: 'success' };
    const appended: SenderRecord[] = [];
    const ledger = new SenderLedger({
      journal: { append: async (record) => void appended.push(record) },
      records: [RESERVED, { ...SIGNED, hash: HASH }, { ...base, type: 'transaction-mined', hash: HASH, ...receipt }],
      retainFinalized: 1,
      onChange: () => undefined,
    });
    const unmined: SenderRecord = { ...base, type: 'transaction-unmined', hash: HASH, blockHash: BLOCK };
    await expect(ledger.commit([unmined])).rejects.toThrow(/do not hash/);
    expect(appended).toEqual([]);
  });
});

describe('the sum of records', () => {
  const sum = (...records: SenderRecord[]) => {
    const state = new SenderState({ retainFinalized: 2 });
    for (const record of records) state.apply(record);
    return state;
  };
  const mined: SenderRecord = {
    ...base,
    type: 'transaction-mined',
    hash: keccak256(RAW),
    blockNumber: 9,
    blockHash: BLOCK,
    status: 'success',
  };

  it('refuses a nonce held twice', () => {
    expect(() => sum(RESERVED, { ...RESERVED, operationId: 'other' })).toThrow(/already held/);
  });

  it('refuses a second nonce for an operation that was signed and has not lost its first', () => {
    expect(() => sum(RESERVED, SIGNED, { ...RESERVED, nonce: 5 })).toThrow(/still has a nonce/);
    const lost: SenderRecord = { ...base, type: 'nonce-lost', foreignHash: HASH, blockNumber: 9, blockHash: BLOCK };
    expect(sum(RESERVED, lost, { ...RESERVED, nonce: 5 }).operation('op')?.nonce).toBe(5);
  });

  it('moves an operation that was not signed, and keeps what was decided of it', () => {
    const abandoned: SenderRecord = { ...base, type: 'operation-abandoned', reason: 'not wanted any more' };
    const other = { ...RESERVED, operationId: 'other', nonce: 100 };
    const state = sum({ ...RESERVED, nonce: 99 }, { ...abandoned, nonce: 99 }, other, { ...RESERVED, nonce: 5 });
    expect(state.slots().map(({ nonce, freeing }) => [nonce, freeing])).toEqual([
      [5, true],
      [100, false],
    ]);
    expect(state.nextNonce).toBe(101);
    state.apply({ ...other, nonce: 6 });
    expect(state.nextNonce).toBe(7);
  });

  it('refuses a transaction that was never signed', () => {
    expect(() => sum(RESERVED, { ...mined, hash: HASH })).toThrow(/never signed/);
    expect(() => sum(RESERVED, SIGNED, SIGNED)).toThrow(/expected attempt 1/);
    expect(() => sum(SIGNED)).toThrow(/no such nonce/);
  });

  it('walks through the stages', () => {
    expect(sum(RESERVED).operation('op')?.stage).toBe('reserved');
    expect(sum(RESERVED, SIGNED).operation('op')?.stage).toBe('signed');
    expect(sum(RESERVED, SIGNED, mined).operation('op')?.stage).toBe('mined');
    const unmined: SenderRecord = { ...base, type: 'transaction-unmined', hash: keccak256(RAW), blockHash: BLOCK };
    expect(sum(RESERVED, SIGNED, mined, unmined).operation('op')?.stage).toBe('retrying');
    expect(() => sum(RESERVED, SIGNED, unmined)).toThrow(/not mined there/);
  });

  it('drops the oldest finished operations, not the open ones', () => {
    const state = new SenderState({ retainFinalized: 2 });
    for (let nonce = 0; nonce < 4; nonce += 1) {
      const own = { operationId: `op-${nonce}`, nonce };
      for (const record of [RESERVED, SIGNED, mined]) state.apply({ ...record, ...own });
      if (nonce > 0) state.apply({ v: 1, ...own, type: 'transaction-finalized', hash: keccak256(RAW) });
    }
    expect([0, 1, 2, 3].map((nonce) => state.operation(`op-${nonce}`)?.final)).toEqual([
      false,
      undefined,
      undefined,
      true,
    ]);
    expect(state.nextNonce).toBe(4);
  });
});

describe('nonces', () => {
  it('are given out once each, and marked until they are durable', async () => {
    const nonces = new NonceAllocator(null);
    await expect(nonces.use(async () => undefined)).rejects.toThrow(/not known/);
    nonces.raiseTo(7);
    nonces.raiseTo(3);
    await nonces.use(async (nonce) => {
      expect(nonce).toBe(7);
      expect(nonces.isBeingReserved(7)).toBe(true);
    });
    expect(nonces.isBeingReserved(7)).toBe(false);
    expect(await nonces.use(async (nonce) => nonce)).toBe(8);
  });
});

describe('operations that were not signed', () => {
  const moves = (chainNonce: number, unsigned: readonly number[], signed: readonly number[] = []) => {
    const state = new SenderState({ retainFinalized: 1 });
    for (const nonce of [...unsigned, ...signed]) state.apply({ ...RESERVED, operationId: `op-${nonce}`, nonce });
    for (const nonce of signed) state.apply({ ...SIGNED, operationId: `op-${nonce}`, nonce });
    return planMoves(state.slots(), chainNonce).map(({ slot, nonce }) => {
      // A nonce that is held already would be refused.
      state.apply({ ...RESERVED, operationId: slot.operationId, nonce });
      return [slot.nonce, nonce];
    });
  };
  it.each([
    ['stay where they are next', 7, [7, 8], [], []],
    ['stay behind and between what was signed', 7, [7, 9], [8], []],
    [
      'come down to the account’s next nonce',
      2,
      [57, 58],
      [],
      [
        [57, 2],
        [58, 3],
      ],
    ],
    ['come down behind what was signed', 0, [57], [0, 1], [[57, 2]]],
    [
      'come up where the account has used their nonces',
      10,
      [5, 6],
      [],
      [
        [5, 10],
        [6, 11],
      ],
    ],
    [
      'come up behind those that come down',
      10,
      [5, 6, 11],
      [],
      [
        [11, 10],
        [5, 11],
        [6, 12],
      ],
    ],
    [
      'close up to one that stays',
      10,
      [5, 10, 12],
      [],
      [
        [12, 11],
        [5, 12],
      ],
    ],
  ])('%s', (_, chainNonce, unsigned, signed, expected) => {
    expect(moves(chainNonce, unsigned, signed)).toEqual(expected);
  });
});
