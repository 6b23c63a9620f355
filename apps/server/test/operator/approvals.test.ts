// Requests that a second operator confirms: once, in time, with another key, and whatever comes between.
import { type OperatorActed, PresageError } from '@presage/protocol';
import { createApiKeyPair } from '@presage/protocol/ed25519';
import { describe, expect, it } from 'vitest';
import { Approvals } from '../../src/operator/approvals.ts';
import { OperatorState } from '../../src/operator/operator-state.ts';

const MINUTE_MS = 60_000;
const REQUEST = { action: 'halt-trading', operation: 'haltTrading', params: {}, body: '{"halted":true}' } as const;

class Desk {
  readonly state = new OperatorState();
  readonly records: OperatorActed[] = [];
  nowMs = 1_000_000;
  readonly approvals = new Approvals({
    config: { actions: ['halt-trading'], minutes: 60 },
    state: this.state,
    note: (record) => this.note(record),
    wallMs: () => this.nowMs,
  });

  constructor() {
    for (const keyId of ['op_a', 'op_b']) {
      const { publicKeyHex } = createApiKeyPair();
      this.state.addFixed({ keyId, name: keyId, rights: ['trading'], publicKeyHex });
    }
  }

  async note(record: OperatorActed): Promise<void> {
    this.records.push(record);
    this.state.follow(record);
  }

  ask(actor = 'op_a') {
    return this.approvals.request({ actor, reason: 'a test' }, REQUEST);
  }

  /** Confirms, and does what was asked for: one record, which has both keys. */
  confirm(id: string, by = 'op_b', rest = async () => {}) {
    return this.approvals.confirm(id, this.state.find(by)!, async ({ actor, reason }) => {
      const action = { kind: 'halt-trading', isHalted: true } as const;
      await this.note({ type: 'operator-acted', timeMs: this.nowMs, actor, reason, action, approval: { id, by } });
      await rest();
    });
  }
}

async function codeOf(asked: Promise<unknown>): Promise<string> {
  const outcome = await asked.then(
    () => 'done',
    (error: unknown) => error,
  );
  return outcome instanceof PresageError ? outcome.code : String(outcome);
}

describe('a request for approval', () => {
  it('is confirmed once, by another key, and recorded with both', async () => {
    const desk = new Desk();
    const { approvalId } = await desk.ask();
    expect(await codeOf(desk.confirm(approvalId, 'op_a'))).toBe('approval_by_requester');
    const both = await Promise.all([codeOf(desk.confirm(approvalId)), codeOf(desk.confirm(approvalId))]);
    expect(both).toEqual(['done', 'approval_not_found']);
    expect(desk.records).toMatchObject([
      { actor: 'op_a', action: { kind: 'request-approval', action: 'halt-trading' } },
      { actor: 'op_a', action: { kind: 'halt-trading' }, approval: { id: approvalId, by: 'op_b' } },
    ]);
    expect(await codeOf(desk.confirm(`ap_${'0'.repeat(24)}`))).toBe('approval_not_found');
  });

  it('does not wait for what another one takes behind its record, such as the outcomes of an event', async () => {
    const desk = new Desk();
    const [slow, quick] = [await desk.ask('op_a'), await desk.ask('op_b')];
    let end = () => {};
    const listed = new Promise<void>((resolve) => {
      end = resolve;
    });
    const first = desk.confirm(slow.approvalId, 'op_b', () => listed);
    const again = codeOf(desk.confirm(slow.approvalId));
    expect(await codeOf(desk.confirm(quick.approvalId, 'op_a'))).toBe('done');
    expect(await again).toBe('approval_not_found');
    end();
    expect(await codeOf(first)).toBe('done');
  });

  it('expires, and says so to whoever comes late', async () => {
    const desk = new Desk();
    const { approvalId } = await desk.ask();
    desk.nowMs += 60 * MINUTE_MS;
    expect(desk.approvals.list()).toEqual([]);
    expect(await codeOf(desk.confirm(approvalId))).toBe('approval_expired');
    expect(await codeOf(desk.approvals.reject({ actor: 'op_b', reason: '' }, approvalId))).toBe('approval_expired');
  });

  it('waits on if the action is refused', async () => {
    const desk = new Desk();
    const { approvalId } = await desk.ask();
    const refused = desk.approvals.confirm(approvalId, desk.state.find('op_b')!, () =>
      Promise.reject(new PresageError('market_not_found')),
    );
    expect(await codeOf(refused)).toBe('market_not_found');
    expect(await codeOf(desk.confirm(approvalId))).toBe('done');
  });

  it('is gone once it is rejected, or its key is revoked', async () => {
    const desk = new Desk();
    const { approvalId } = await desk.ask();
    await desk.approvals.reject({ actor: 'op_a', reason: 'a mistake' }, approvalId);
    expect(await codeOf(desk.confirm(approvalId))).toBe('approval_not_found');
    const { publicKeyHex: publicKey } = createApiKeyPair();
    const acted = { type: 'operator-acted', timeMs: desk.nowMs, actor: 'op_b', reason: '' } as const;
    await desk.note({
      ...acted,
      action: { kind: 'add-key', keyId: 'op_c', publicKey, name: 'c', rights: ['trading'] },
    });
    const other = await desk.ask('op_c');
    await desk.note({ ...acted, action: { kind: 'revoke-key', keyId: 'op_c' } });
    expect(await codeOf(desk.confirm(other.approvalId))).toBe('approval_not_found');
  });

  it('is one, however often its key sends it at the same time', async () => {
    const desk = new Desk();
    const [first, second, other] = await Promise.all([desk.ask(), desk.ask(), desk.ask('op_b')]);
    expect(second).toEqual(first);
    expect(desk.approvals.list()).toEqual([first, other]);
  });

  it('is refused while a hundred others wait', async () => {
    const desk = new Desk();
    for (let count = 0; count < 100; count++) await desk.ask(`op_${count}`);
    expect(await codeOf(desk.ask())).toBe('too_many_approvals');
  });
});
