// Two operators for one action, over the wire: what waits survives a kill, is done once, and is in the audit log with both keys.
import { createApiKeyPair } from '@presage/protocol/ed25519';
import { createSandboxClient, PresageApiError } from '@presage/sdk';
import { ApprovalPending, createOperatorClient, type OperatorClient } from '@presage/sdk/operator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Exchange } from './exchange.ts';

const { publicKeyHex, privateKeyHex } = createApiKeyPair(Buffer.alloc(32, 7));
const reader = createApiKeyPair(Buffer.alloc(32, 8));
const env = {
  PRESAGE_OPERATOR_KEYS: `bob=${publicKeyHex},eve=${reader.publicKeyHex}:read`,
  PRESAGE_APPROVAL_ACTIONS: 'halt-trading,create-market',
};
let exchange: Exchange;
let [alice, bob, eve]: OperatorClient[] = [];

async function openOperators(): Promise<void> {
  const { url } = exchange.client;
  alice = createOperatorClient({ url, key: await createSandboxClient({ url }).getOperatorKey(), retries: 0 });
  const open = (id: string, privateKey: string) => createOperatorClient({ url, key: { id, privateKey }, retries: 0 });
  bob = open(`op_${publicKeyHex.slice(0, 24)}`, privateKeyHex);
  eve = open(`op_${reader.publicKeyHex.slice(0, 24)}`, reader.privateKeyHex);
}

beforeAll(async () => {
  exchange = await Exchange.open({ env });
  await openOperators();
});
afterAll(() => exchange?.close());

/** The id of the request that an action became. */
async function askedFor(action: Promise<unknown> | undefined): Promise<string> {
  const outcome = await action?.catch((error: unknown) => error);
  if (!(outcome instanceof ApprovalPending)) throw new Error(`not asked: ${JSON.stringify(outcome)}`);
  return outcome.approval.approvalId;
}

async function codeOf(action: Promise<unknown> | undefined): Promise<string> {
  const outcome = await action?.catch((error: unknown) => error);
  return outcome instanceof PresageApiError ? outcome.code : `no refusal: ${JSON.stringify(outcome)}`;
}

describe('an action that two operators do', () => {
  it('waits through a kill until another key with the right confirms it, once', async () => {
    const halt = () => alice?.haltTrading(true, { reason: 'maintenance' });
    const approvalId = await askedFor(halt());
    expect(await askedFor(halt())).toBe(approvalId);
    expect(await alice?.getTradingControls()).toMatchObject({ halted: false });
    expect(await bob?.listApprovals()).toMatchObject({
      approvals: [{ approvalId, action: 'halt-trading', requestedByName: 'sandbox', reason: 'maintenance' }],
      count: 1,
    });
    await exchange.sandbox.killGroup();
    exchange = await exchange.reopen({ env });
    await openOperators();
    expect(await codeOf(alice?.confirmApproval(approvalId))).toBe('approval_by_requester');
    expect(await codeOf(eve?.confirmApproval(approvalId))).toBe('right_missing');
    expect(await bob?.confirmApproval(approvalId)).toMatchObject({ action: 'halt-trading', result: { halted: true } });
    expect(await codeOf(bob?.confirmApproval(approvalId))).toBe('approval_not_found');
    expect(await alice?.getTradingControls()).toMatchObject({ halted: true, reason: 'maintenance' });
    const { actions = [] } = (await alice?.listActions({ limit: 2 })) ?? {};
    expect(actions).toMatchObject([
      {
        kind: 'halt-trading',
        actorName: 'sandbox',
        action: { approval: { id: approvalId, by: `op_${publicKeyHex.slice(0, 24)}` } },
      },
      { kind: 'request-approval', actorName: 'sandbox', subject: approvalId },
    ]);
    // Resuming is not on the list.
    expect(await bob?.haltTrading(false)).toMatchObject({ halted: false });
  });

  it('is dropped by a rejection', async () => {
    const approvalId = await askedFor(alice?.haltTrading(true));
    expect(await eve?.rejectApproval(approvalId, { reason: 'no need' })).toEqual({ approvalId, rejected: true });
    expect(await codeOf(bob?.confirmApproval(approvalId))).toBe('approval_not_found');
    expect(await bob?.listApprovals()).toEqual({ approvals: [], count: 0 });
  });

  it('is refused at once if its input is wrong', async () => {
    const body = { halted: 'yes' };
    expect(await codeOf(alice?.haltTrading(body as never))).toBe('invalid_field');
    // Whoever could add a key alone could confirm alone; whoever confirms would be shown a private half.
    expect(await codeOf(alice?.addOperatorKey({ name: 'carol', rights: ['trading'] }))).toBe('invalid_field');
    const { publicKeyHex: publicKey } = createApiKeyPair(Buffer.alloc(32, 9));
    const approvalId = await askedFor(alice?.addOperatorKey({ name: 'carol', rights: ['trading'], publicKey }));
    expect(await bob?.confirmApproval(approvalId)).toMatchObject({ result: { name: 'carol', privateKey: null } });
  });

  it('creates the market that was drafted', async () => {
    const { now } = await exchange.client.read<{ now: number }>('/api/v1/time');
    const approvalId = await askedFor(alice?.createMarket({ question: 'Do two agree?', expiration: now + 86_400 }));
    const { result } = (await bob?.confirmApproval(approvalId)) ?? {};
    expect(result).toMatchObject({ listed: true });
    const { marketId } = result as { marketId: string };
    expect(await exchange.client.read(`/api/v1/markets/${marketId}`)).toMatchObject({ question: 'Do two agree?' });
  });
});
