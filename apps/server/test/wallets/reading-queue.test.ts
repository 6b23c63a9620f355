// Readings of wallets share calls; what one of them cannot be told keeps nothing from the others.
import { type ContractRead, ContractReverted } from '@presage/chain';
import { walletOf } from '@presage/testkit';
import { beforeEach, describe, expect, it } from 'vitest';
import type { HoldingsQuery } from '../../src/wallets/holdings-reader.ts';
import { ReadingQueue } from '../../src/wallets/reading-queue.ts';
import { Wallet } from '../../src/wallets/wallet.ts';

const WALLETS = 200;
const REVERT = { name: 'ZeroAddress', args: [], message: 'ZeroAddress()' };
const READ = { to: '0x', data: '0x', decode: () => 0n } as unknown as ContractRead<bigint>;

let wallets: Wallet[];
let poisoned: Set<Wallet>;
let reader: SharedReader;
let queue: ReadingQueue;

class SharedReader {
  calls = 0;
  isReachable = true;

  async read(queries: readonly HoldingsQuery[]): Promise<void> {
    this.calls++;
    if (!this.isReachable) throw new Error('no answer');
    if (queries.some(({ wallet }) => poisoned.has(wallet))) throw new ContractReverted(REVERT, READ);
  }
}

beforeEach(() => {
  wallets = Array.from({ length: WALLETS }, (_, index) => newWallet(`reading ${index}`));
  poisoned = new Set();
  reader = new SharedReader();
  queue = new ReadingQueue(reader);
});

function newWallet(name: string): Wallet {
  return new Wallet(walletOf(name).address, () => undefined);
}

async function readAll(): Promise<Wallet[]> {
  // The first is read alone: the others wait for it together.
  const results = await Promise.allSettled([newWallet('first'), ...wallets].map((wallet) => queue.read(wallet)));
  return wallets.filter((_, index) => results[index + 1]!.status === 'rejected');
}

describe('wallets that are read together', () => {
  it('are all read when a contract refuses to answer for some, within a few calls', async () => {
    poisoned = new Set([wallets[0]!, wallets[77]!]);
    expect(await readAll()).toEqual([wallets[0], wallets[77]]);
    expect(reader.calls).toBeLessThan(40);
  });

  it('are refused together, after one call, when the chain does not answer', async () => {
    reader.isReachable = false;
    expect(await readAll()).toEqual(wallets);
    expect(reader.calls).toBe(2);
    await expect(queue.read(wallets[0]!)).rejects.toMatchObject({
      code: 'chain_unavailable',
      details: { reason: 'no answer' },
    });
  });
});
