// Equity is the same before, while and after a trade settles.
import type { UserPosition, WalletBalances } from '@presage/sdk';
import { describe, expect, it } from 'vitest';
import { toEquity, toOpenRows } from '../src/lib/portfolio.ts';

const STATISTICS = {
  user_address: `0x${'1'.repeat(40)}`,
  volume: 0,
  trade_count: 0,
  total_cost: 0,
  total_invested: 0,
  position_value: 0,
  pnl: 0,
  realized_pnl: 0,
  unrealized_pnl: 0,
  pnl_percentage: 0,
};

/** Shares of YES at 55 cents, sold for as much. */
function holding(yesShares: number): UserPosition {
  const value = (yesShares * 55) / 100;
  const text = { marketQuestion: 'Twice?', contractAddress: STATISTICS.user_address, kind: 'standard' } as const;
  const nothing = { noShares: 0, noCost: 0, noPrice: 0, noValue: 0, noSellable: 0, revenue: 0, realizedPnl: 0, pnl: 0 };
  const yes = { yesShares, yesCost: value, yesPrice: 550_000, yesValue: value, yesSellable: yesShares, value };
  const market = { status: 'open', winningOutcome: null, resolved: false, expiration: 2_000_000_000 } as const;
  return {
    marketId: `0x${'2'.repeat(64)}`,
    lastUpdated: 0,
    totalInvested: value,
    ...text,
    ...market,
    ...nothing,
    ...yes,
  };
}

function equityOf(
  balances: Omit<WalletBalances, 'allowance' | 'reserved' | 'deposited'>,
  yesShares: number,
  deposited = '0',
) {
  const positions = yesShares === 0 ? [] : [holding(yesShares)];
  const all = [{ allowance: '0', reserved: '0', deposited, ...balances }];
  return toEquity(all, positions, toOpenRows(positions, new Set()), STATISTICS);
}

describe('equity', () => {
  const BEFORE = { balance: '100000000', available: '90000000', unsettled: '0' };

  it('counts a purchase once, whether it is mined or not', () => {
    const unmined = equityOf({ balance: '100000000', available: '79000000', unsettled: '-11000000' }, 20_000_000);
    expect(unmined).toMatchObject({ total: 100_000_000n, reserved: 10_000_000n, positions: 11_000_000n });
    const mined = equityOf({ balance: '89000000', available: '79000000', unsettled: '0' }, 20_000_000);
    expect(mined).toEqual(unmined);
    expect(equityOf(BEFORE, 0).total).toBe(unmined.total);
  });

  it('counts a deposit, of which orders take if it is more than the balance', () => {
    const before = equityOf(BEFORE, 0);
    expect(equityOf(BEFORE, 0, '7000000')).toEqual({ ...before, total: 107_000_000n, cash: 97_000_000n });
    const small = { balance: '5000000', available: '90000000', unsettled: '0' };
    expect(equityOf(small, 0, '100000000')).toMatchObject({
      total: 105_000_000n,
      cash: 95_000_000n,
      reserved: 10_000_000n,
    });
  });

  it('loses no cent to rounding when an order reserves a part of one', () => {
    const reserving = equityOf({ balance: '1000000000', available: '990012000', unsettled: '0' }, 0);
    expect(reserving).toMatchObject({ total: 1_000_000_000n, cash: 990_010_000n, reserved: 9_990_000n });
  });

  it('counts the proceeds of a sale that is not mined', () => {
    const held = equityOf(BEFORE, 20_000_000);
    const unmined = equityOf({ balance: '100000000', available: '90000000', unsettled: '11000000' }, 0);
    expect(unmined.total).toBe(held.total);
    expect(unmined.cash + unmined.reserved + unmined.positions + unmined.toRedeem).toBe(unmined.total);
  });
});
