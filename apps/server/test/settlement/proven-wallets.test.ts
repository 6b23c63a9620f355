// Which fills may be sent without a simulation: the rule as a table.
import { markWalletSignature } from '@presage/protocol';
import { describe, expect, it } from 'vitest';
import type { PlannedFill } from '../../src/settlement/ports.ts';
import { ProvenWallets } from '../../src/settlement/proven-wallets.ts';

interface FillParams {
  readonly buyer?: string;
  readonly seller?: string;
  readonly marketId?: string;
  readonly stage?: string;
  readonly signature?: string;
  readonly expiration?: number;
}

const NOW = 1_000_000;

/** Only what the rule reads. */
function fill(params: FillParams = {}): PlannedFill {
  const { buyer = 'alice', seller = 'bob', marketId = 'one', stage = 'matched' } = params;
  const { signature = `0x${'1'.repeat(130)}`, expiration = NOW + 60 } = params;
  const signed = { order: { expiration }, signature };
  return { trade: { buyer, seller, marketId, stage }, buy: { signed }, sell: { signed } } as unknown as PlannedFill;
}

function openProven(): { proven: ProvenWallets; passTime(seconds: number): void } {
  let now = NOW;
  const proven = new ProvenWallets(() => now);
  proven.add(fill().trade);
  return {
    proven,
    passTime: (seconds) => {
      now += seconds;
    },
  };
}

describe('a simulation', () => {
  const rows: [string, boolean, FillParams][] = [
    ['may be left out when both wallets have just settled in that market', true, {}],
    ['may be left out whoever of them buys', true, { buyer: 'bob', seller: 'alice' }],
    ['is needed for a buyer who has settled nothing', false, { buyer: 'carol' }],
    ['is needed for a seller who has settled nothing', false, { seller: 'carol' }],
    ['is needed in another market', false, { marketId: 'two' }],
    ['is needed for a trade that came back', false, { stage: 'retrying' }],
    ['is needed for a contract that signs', false, { signature: markWalletSignature(Uint8Array.of(0x12, 0x34)) }],
    ['is needed for an order past its expiration', false, { expiration: NOW }],
  ];
  it.each(rows)('%s', (_, isCovered, params) => {
    expect(openProven().proven.covers(fill(params))).toBe(isCovered);
  });

  it('is needed again a minute later, after time travel, and after anything failed', () => {
    const { proven, passTime } = openProven();
    passTime(60);
    expect(proven.covers(fill({ expiration: NOW + 3_600 }))).toBe(true);
    passTime(1);
    expect(proven.covers(fill({ expiration: NOW + 3_600 }))).toBe(false);
    proven.add(fill().trade);
    passTime(-3_600);
    expect(proven.covers(fill())).toBe(false);
    proven.add(fill().trade);
    expect(proven.covers(fill())).toBe(true);
    proven.clear();
    expect(proven.covers(fill())).toBe(false);
  });

  it('is needed for wallets that were proven long before very many others', () => {
    const { proven } = openProven();
    for (let count = 0; count < 10_000; count++) proven.add(fill({ buyer: `b${count}`, seller: `s${count}` }).trade);
    expect(proven.covers(fill())).toBe(false);
    expect(proven.covers(fill({ buyer: 'b9999', seller: 's9999' }))).toBe(true);
  });
});
