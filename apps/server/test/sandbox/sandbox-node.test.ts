// Wallets are prepared together: one whose transaction is refused or never mined holds nobody up, a chain that stands still holds up all.
import type { Rpc } from '@presage/chain';
import { describe, expect, it } from 'vitest';
import { SandboxNode } from '../../src/sandbox/sandbox-node.ts';

const TO = `0x${'22'.repeat(20)}` as const;
const callOf = (index: number) => ({ from: `0x${String(index).repeat(40)}`, to: TO, data: '0x' }) as const;

/** Takes calls of wallets; those of the wallets named are refused or stay in the pool. */
function nodeOf({ refused = [] as number[], stuck = [] as number[] }) {
  const walletIn = (text: string) => Number(text[2]);
  const answer = (method: string, [given]: readonly unknown[]) => {
    if (method === 'presage_sendAs') {
      const wallet = walletIn((given as { from: string }).from);
      if (refused.includes(wallet)) return { ok: false as const, error: new Error('reverted') };
      return { ok: true as const, result: `0x${String(wallet).repeat(64)}` };
    }
    return { ok: true as const, result: stuck.includes(walletIn(given as string)) ? null : { status: '0x0' } };
  };
  const batch = async (requests: readonly { method: string; params: readonly unknown[] }[]) =>
    requests.map(({ method, params }) => answer(method, params));
  return new SandboxNode({ batch } as unknown as Rpc, 60);
}

describe('the preparation of wallets', () => {
  it.each([
    ['refused', { refused: [1] }],
    ['never mined', { stuck: [1] }],
    ['never mined, the last of them', { stuck: [3] }],
    ['refused, and another never mined', { refused: [1], stuck: [2] }],
  ])('goes on for the others where one is %s', async (_what, faults) => {
    await expect(nodeOf(faults).sendTogether([1, 2, 3].map(callOf))).resolves.toBeUndefined();
  });

  it('fails if nothing at all is mined, because then the chain has stopped', async () => {
    await expect(nodeOf({ stuck: [1, 2] }).sendTogether([1, 2].map(callOf))).rejects.toThrow('mines nothing');
  });

  it('succeeds if the chain refused all calls, because their fills will report it', async () => {
    await expect(nodeOf({ refused: [1, 2] }).sendTogether([1, 2].map(callOf))).resolves.toBeUndefined();
  });
});
