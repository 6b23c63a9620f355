// The keys of operators: somebody can always add another one.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createApiKeyPair } from '@presage/protocol/ed25519';
import { expect, it } from 'vitest';
import { OperatorService, type OperatorServiceOptions } from '../../src/operator/operator-service.ts';
import { OperatorState } from '../../src/operator/operator-state.ts';

const ASKED = { actor: 'op_1', reason: '', approval: undefined };

/** Nothing else is asked for by what is done to keys. */
function openService(): OperatorService {
  const state = new OperatorState();
  const note: OperatorServiceOptions['note'] = async (...records) => {
    // Known only once it is durable.
    await nextTurn();
    for (const record of records) state.follow(record);
  };
  return new OperatorService({
    state,
    note,
    wallMs: () => 1,
  } as Partial<OperatorServiceOptions> as OperatorServiceOptions);
}

it('the last key that may add keys is neither revoked nor deprived of that right', async () => {
  const service = openService();
  const publicKey = createApiKeyPair().publicKeyHex;
  const { key: first } = await service.addKey(ASKED, { name: 'ann', rights: ['keys', 'read'], publicKey });
  const demoted = { name: 'ann', rights: ['read'] as const, publicKey };
  await expect(service.addKey(ASKED, demoted)).rejects.toMatchObject({ code: 'last_operator_key' });
  await expect(service.revokeKey(ASKED, first.keyId)).rejects.toMatchObject({ code: 'last_operator_key' });
  const { key: second } = await service.addKey(ASKED, { name: 'bob', rights: ['keys'] });
  expect((await service.addKey(ASKED, demoted)).key.rights).toEqual(['read']);
  await expect(service.revokeKey(ASKED, second.keyId)).rejects.toMatchObject({ code: 'last_operator_key' });
  await service.revokeKey(ASKED, first.keyId);
  expect(service.state.keys()).toEqual([second]);
});

it('two keys that revoke each other at the same moment leave one', async () => {
  const service = openService();
  const { key: first } = await service.addKey(ASKED, { name: 'ann', rights: ['keys'] });
  const { key: second } = await service.addKey(ASKED, { name: 'bob', rights: ['keys'] });
  const [done, refused] = await Promise.allSettled([
    service.revokeKey({ ...ASKED, actor: first.keyId }, second.keyId),
    service.revokeKey({ ...ASKED, actor: second.keyId }, first.keyId),
  ]);
  expect(done.status).toBe('fulfilled');
  expect(refused).toMatchObject({ status: 'rejected', reason: { code: 'last_operator_key' } });
  expect(service.state.keys()).toEqual([first]);
});
