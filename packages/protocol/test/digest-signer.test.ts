// Both bodies of the digest signer make the signatures that everybody else verifies.
import { describe, expect, it } from 'vitest';
import { fromHex, sha256OfLines } from '../src/index.ts';
import { openDigestSigner } from '../src/signing/digest-signer.ts';
import { openSignerRecovery } from '../src/signing/signer.ts';

/** Sandbox key 3 and its address: published, worthless. */
const KEY = '0x7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6';
const SIGNER = '0x90f79bf6eb2c4f870365e785982e1f101e93b906';
const digests = Array.from({ length: 40 }, (_, index) => sha256OfLines([`digest ${index}`]));

describe.each(['native', 'wasm'] as const)('the %s signer', (kind) => {
  it('signs so that the signer is recovered', async () => {
    const [sign, recovery] = [await openDigestSigner(KEY, kind), await openSignerRecovery()];
    for (const digest of digests) expect(recovery.recover(fromHex(digest), fromHex(sign(digest)))).toBe(SIGNER);
  });
});

it('signs the same bytes in either body', async () => {
  const [native, wasm] = [await openDigestSigner(KEY, 'native'), await openDigestSigner(KEY, 'wasm')];
  expect(digests.map(native)).toEqual(digests.map(wasm));
});
