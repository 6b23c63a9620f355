// The order in which permits go to the chain: a stablecoin takes the permits of a wallet by their nonces alone.
import { type OrderHash, PresageError } from '@presage/protocol';
import { TRADERS } from '@presage/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { OrderPermits } from '../../src/relayer/order-permits.ts';
import type { OrderWithPermit } from '../../src/relayer/ports.ts';
import { WaitingPermits } from '../../src/relayer/waiting-permits.ts';
import { createContext } from '../chain-context.ts';

function signedBy(trader: string, nonce: bigint): OrderWithPermit {
  const orderHash = `${trader}/${nonce}` as OrderHash;
  return { orderHash, order: { trader, marketId: '0x1' }, permit: { nonce, value: 1n } } as unknown as OrderWithPermit;
}

it('the next permit of a wallet is looked at once the one before it is mined; other wallets wait for none of this', async () => {
  const waiting = new WaitingPermits({ nowSeconds: () => 0 });
  const [judged, mined] = [[] as string[], new Map<string, () => void>()];
  const forever = new Promise<never>(() => undefined);
  const permits = new OrderPermits(createContext({ note: async () => undefined }), {
    waiting,
    relayer: {
      admit: async (call: { key: string }) => call,
      out: async () => ({ stage: 'submitted', hash: '0x02' }),
      mined: ({ key }: { key: string }) => new Promise<void>((resolve) => mined.set(key, resolve)),
      decided: () => forever,
    } as never,
    calls: {
      toOrderPermit: (trader: string, { nonce }: { nonce: bigint }) => ({ key: `${trader}/${nonce}` }),
    } as never,
    judge: { findObstacle: async ({ orderHash }: OrderWithPermit) => void judged.push(orderHash) } as never,
    journal: { append: async () => undefined } as never,
    records: [],
  });
  onTestFinished(() => permits.close());
  const [first, second, others] = [signedBy(TRADERS.alice, 0n), signedBy(TRADERS.alice, 1n), signedBy(TRADERS.bob, 0n)];
  for (const signed of [second, first, others]) permits.add(signed);
  await expect.poll(() => mined.size).toBe(2);
  expect([...judged].sort()).toEqual([first.orderHash, others.orderHash].sort());
  expect(waiting.of(TRADERS.alice)).toHaveLength(2);
  expect(waiting.isUnconfirmed(TRADERS.alice)).toBe(false);
  mined.get(first.orderHash)!();
  await expect.poll(() => mined.has(second.orderHash)).toBe(true);
  expect(waiting.isUnconfirmed(TRADERS.alice)).toBe(true);
  expect(waiting.of(TRADERS.alice)).toEqual([second]);
  mined.get(second.orderHash)!();
  await expect.poll(() => waiting.of(TRADERS.alice)).toEqual([]);
});

it.each(['overloaded', 'rate_limited'] as const)(
  'a permit that cannot be sent for a while (%s) has not failed: a stop leaves it to the next start',
  async (code) => {
    const waiting = new WaitingPermits({ nowSeconds: () => 0 });
    const written: unknown[] = [];
    const permits = new OrderPermits(createContext({ note: async (record: object) => void written.push(record) }), {
      waiting,
      relayer: {
        admit: async () => {
          permits.close();
          throw new PresageError(code);
        },
      } as never,
      calls: { toOrderPermit: () => ({}) } as never,
      judge: { findObstacle: async () => undefined, explain: async () => ({ status: 'failed' }) } as never,
      journal: { append: async (record: object) => void written.push(record) } as never,
      records: [],
    });
    permits.add(signedBy(TRADERS.alice, 0n));
    await expect.poll(() => waiting.of(TRADERS.alice)).toEqual([]);
    expect(written).toEqual([]);
  },
);
