// Claims are written down as their transaction goes: once each, with the reason of a failure, and not again after a restart.
import { type OperationView, type Rpc, RpcError } from '@presage/chain';
import { type ClaimChanged, PresageError } from '@presage/protocol';
import { SeqWaiters, waitFor } from '@presage/runtime';
import { describe, expect, it } from 'vitest';
import { ClaimNotes } from '../../src/relayer/claim-notes.ts';
import type { RelayerRecord, RelayRecord } from '../../src/relayer/ports.ts';
import { createContext } from '../chain-context.ts';

const wallet = `0x${'aa'.repeat(20)}` as const;
const market = { marketId: `0x${'11'.repeat(32)}`, marketAddress: wallet } as const;
const claims = [
  { ...market, payout: '10', winningOutcome: 0 },
  { ...market, payout: '7', winningOutcome: -1 },
] as const;
const record = {
  kind: 'relayed',
  operationId: 'op#1',
  digest: 'op',
  operation: 'batch-ctf-redemption',
  owner: wallet,
  nonces: [],
  gasLimit: '1',
  wallMs: 0,
  submittedAt: 5,
  claims,
} as unknown as RelayRecord;

function viewOf(stage: OperationView['stage'], change: Partial<OperationView> = {}): OperationView {
  const hash = `0x${'22'.repeat(32)}` as const;
  return {
    operationId: 'op#1',
    stage,
    nonce: 0,
    hash,
    hashes: [hash],
    blockNumber: null,
    blockHash: null,
    reason: null,
    final: false,
    ...change,
  };
}

/** A node that knows the transaction and reverts it again with a reason. */
const revertingNode: Rpc = {
  request: async (method: string) => {
    if (method === 'eth_getTransactionByHash') return { from: wallet, to: wallet, input: '0x' };
    throw new RpcError(3, 'execution reverted: somebody was first');
  },
  batch: async () => [],
};

/** `refused` is asked before each write. */
function open(records: readonly RelayerRecord[] = [], refused: (status: string) => boolean = () => false) {
  const notes: ClaimChanged[] = [];
  const frames: number[] = [];
  const journal: RelayerRecord[] = [];
  const note = async (...claimed: readonly ClaimChanged[]) => {
    if (refused(claimed[0]!.status)) throw new PresageError('partition_unavailable');
    notes.push(...claimed);
    frames.push(claimed.length);
  };
  const followed = new SeqWaiters();
  const traders = new ClaimNotes(createContext({ rpc: revertingNode, note }), {
    journal: { append: async (each) => void journal.push(each) },
    records,
    hasFollowed: (blockNumber) => followed.wait(blockNumber),
  });
  return { traders, notes, frames, journal, followed };
}

describe('the claims of a relayed redemption', () => {
  it('go from pending to confirmed, one record a market, each published once', async () => {
    const { traders, notes, frames } = open();
    for (const stage of ['reserved', 'submitted', 'submitted', 'mined', 'confirmed', 'confirmed'] as const) {
      await traders.follow(record, viewOf(stage));
    }
    expect(notes.map(({ status, payout }) => `${status} ${payout}`)).toEqual([
      'pending 10',
      'pending 7',
      'confirmed 10',
      'confirmed 7',
    ]);
    expect(frames).toEqual([2, 2]);
    expect(notes[1]).toMatchObject({ claimId: 'op#1', userAddress: wallet, winningOutcome: -1, submittedAt: 5 });
  });

  it('follow their transaction to another hash, and back to pending when a reorganization takes its block', async () => {
    const { traders, notes } = open();
    const hash = `0x${'33'.repeat(32)}` as const;
    await traders.follow(record, viewOf('submitted'));
    await traders.follow(record, viewOf('submitted', { hash }));
    await traders.follow(record, viewOf('confirmed', { hash }));
    await traders.follow(record, viewOf('retrying', { hash }));
    expect(notes.filter(({ payout }) => payout === '10').map((each) => [each.status, each.txHash])).toEqual([
      ['pending', viewOf('submitted').hash],
      ['pending', hash],
      ['confirmed', hash],
      ['pending', hash],
    ]);
  });

  it('are confirmed when the block that paid them was followed', async () => {
    const { traders, notes, followed } = open();
    const told = traders.follow(record, viewOf('confirmed', { blockNumber: 9 }));
    await new Promise((resolve) => setImmediate(resolve));
    expect(notes).toEqual([]);
    followed.reached = 9;
    await told;
    expect(notes[0]).toMatchObject({ status: 'confirmed' });
  });

  it('fail with the decoded reason', async () => {
    const { traders, notes } = open();
    await traders.follow(record, viewOf('failed', { blockNumber: 9 }));
    expect(notes[0]).toMatchObject({ status: 'failed', reason: 'somebody was first' });
  });

  it('are written once the journal takes them again, unless a newer state was', async () => {
    let isRefused = true;
    const { traders, notes } = open([], (status) => isRefused && status !== 'failed');
    const other = { ...record, operationId: 'op#2' };
    await expect(traders.follow(record, viewOf('confirmed'))).rejects.toMatchObject({ code: 'partition_unavailable' });
    await expect(traders.follow(other, viewOf('submitted'))).rejects.toMatchObject({ code: 'partition_unavailable' });
    await traders.follow(other, viewOf('failed'));
    isRefused = false;
    await waitFor('both are written', () => notes.length === 4 && notes);
    await traders.close();
    expect(notes.filter(({ payout }) => payout === '10').map((each) => [each.claimId, each.status])).toEqual([
      ['op#2', 'failed'],
      ['op#1', 'confirmed'],
    ]);
  });

  it('do not wait for those of another transaction', async () => {
    const { traders, notes } = open();
    void traders.follow(record, viewOf('confirmed', { blockNumber: 9 }));
    await traders.follow({ ...record, operationId: 'op#2' }, viewOf('confirmed'));
    expect(notes.map(({ claimId }) => claimId)).toEqual(['op#2', 'op#2']);
  });

  it('are not published again after a restart', async () => {
    const first = open();
    await first.traders.follow(record, viewOf('confirmed'));
    const second = open(first.journal);
    await second.traders.follow(record, viewOf('confirmed'));
    expect(second.notes).toEqual([]);
  });
});
