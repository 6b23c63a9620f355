// The threads of a verification answer as the recovery in this thread does, for signatures of every length.
import { randomBytes } from 'node:crypto';
import { openSignerRecovery } from '@presage/protocol/signer';
import { recoverHere } from '@presage/sdk/verify';
import { expect, it, onTestFinished } from 'vitest';
import vectors from '../../../vectors/orders.json' with { type: 'json' };
import { SignerThreads } from '../src/signer-threads.ts';

const fromHex = (hex: string) => Buffer.from(hex.slice(2), 'hex');
const BATCH = [
  ...vectors.orders.map(({ digest, signature }) => ({ digest: fromHex(digest), signature: fromHex(signature) })),
  // An operator who lies may write any number of bytes.
  ...[0, 64, 66].map((length) => ({ digest: randomBytes(32), signature: randomBytes(length) })),
];

it('recovers the same signers in this thread and in others', async () => {
  const threads = await SignerThreads.open();
  onTestFinished(() => threads.close());
  const expected = await recoverHere(await openSignerRecovery())(BATCH);
  for (let batch = 0; batch < 6; batch++) expect(await threads.recover(BATCH)).toEqual(expected);
});
