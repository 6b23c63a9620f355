// Whose deposits a batch names: what the chain said lately, and nobody's where the contracts keep none.
import type { Contracts } from '@presage/chain';
import { beforeEach, describe, expect, it } from 'vitest';
import { Depositors } from '../../src/settlement/depositors.ts';
import type { PlannedFill } from '../../src/settlement/ports.ts';

const [ANN, BEN, CAS] = ['0xa1', '0xb2', '0xc3'] as const;
const fill = (buyer: string, seller: string) => ({ trade: { buyer, seller } }) as unknown as PlannedFill;

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
  const clock = { nowMs: () => nowMs, nowSeconds: () => nowMs / 1_000 };
  // Only what is asked of a chain here.
  return new Depositors({ contracts: contracts as unknown as Contracts, clock: clock as never });
}

describe('the wallets of a batch', () => {
  it('are depositors if they have opted in or something is deposited for them', async () => {
    ledgers.set(ANN, [0n, true]).set(BEN, [5n, false]);
    const depositors = openDepositors(4n);
    await depositors.learn([fill(ANN, BEN), fill(BEN, CAS)]);
    expect([ANN, BEN, CAS].map((wallet) => depositors.has(wallet))).toEqual([true, true, false]);
    expect(asked).toEqual([[ANN, BEN, CAS]]);
  });

  it('are asked about again after a while, or when a fill of theirs could not settle', async () => {
    const depositors = openDepositors(4n);
    await depositors.learn([fill(ANN, BEN)]);
    await depositors.learn([fill(ANN, CAS)]);
    expect(asked).toEqual([[ANN, BEN], [CAS]]);
    depositors.forget([fill(CAS, ANN)]);
    await depositors.learn([fill(ANN, BEN), fill(CAS, BEN)]);
    expect(asked.at(-1)).toEqual([ANN, CAS]);
    nowMs += 10_000;
    await depositors.learn([fill(ANN, BEN)]);
    expect(asked.at(-1)).toEqual([ANN, BEN]);
  });

  it('are none, unasked, on contracts without deposits', async () => {
    ledgers.set(ANN, [5n, true]);
    const depositors = openDepositors(3n);
    await depositors.learn([fill(ANN, BEN)]);
    expect([depositors.has(ANN), asked]).toEqual([false, []]);
  });
});
