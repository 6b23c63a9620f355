// Whose deposits a batch names: what the chain said lately, and nobody's where the contracts keep none.
import type { Contracts } from '@presage/chain';
import type { Address } from '@presage/protocol';
import { beforeEach, describe, expect, it } from 'vitest';
import { Depositors } from '../../src/settlement/depositors.ts';

const [ANN, BEN, CAS] = ['0xa1', '0xb2', '0xc3'] as const;
const trade = (buyer: Address, seller: Address) => ({ buyer, seller });

let asked: string[][];
let ledgers: Map<string, readonly [bigint, boolean]>;
let nowMs: number;
beforeEach(() => {
  [asked, ledgers, nowMs] = [[], new Map(), 1_000];
});

function openDepositors(version: bigint): Depositors {
  const contracts = {
    settlement: {
      read: async () => version,
      reading: (_name: string, [wallet]: [string]) => wallet,
    },
    readTogether: async (wallets: string[]) => {
      asked.push(wallets);
      return wallets.map((wallet) => ledgers.get(wallet) ?? [0n, false]);
    },
  };
  // The stand-in answers the two reads that are made.
  return new Depositors({ contracts: contracts as unknown as Contracts, clock: { nowMs: () => nowMs } });
}

describe('the wallets of a batch', () => {
  it('are depositors if they have opted in or something is deposited for them', async () => {
    ledgers.set(ANN, [0n, true]).set(BEN, [5n, false]);
    const depositors = openDepositors(4n);
    await depositors.learn([trade(ANN, BEN), trade(BEN, CAS)]);
    expect([ANN, BEN, CAS].map((wallet) => depositors.has(wallet))).toEqual([true, true, false]);
    expect(asked).toEqual([[ANN, BEN, CAS]]);
  });

  it('are asked about again after a while, or when a fill of theirs could not settle', async () => {
    const depositors = openDepositors(4n);
    await depositors.learn([trade(ANN, BEN)]);
    await depositors.learn([trade(ANN, CAS)]);
    expect(asked).toEqual([[ANN, BEN], [CAS]]);
    depositors.forget([trade(CAS, ANN)]);
    await depositors.learn([trade(ANN, BEN), trade(CAS, BEN)]);
    expect(asked.at(-1)).toEqual([ANN, CAS]);
    nowMs += 10_000;
    await depositors.learn([trade(ANN, BEN)]);
    expect(asked.at(-1)).toEqual([ANN, BEN]);
  });

  it('are none, unasked, on contracts without deposits', async () => {
    ledgers.set(ANN, [5n, true]);
    const depositors = openDepositors(3n);
    await depositors.learn([trade(ANN, BEN)]);
    expect([depositors.has(ANN), asked]).toEqual([false, []]);
  });
});
