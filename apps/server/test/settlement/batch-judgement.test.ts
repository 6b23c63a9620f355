// Who is sent, who is blamed, and who is only simulated again.
import { describe, expect, it } from 'vitest';
import { judgeBatch } from '../../src/settlement/batch-judgement.ts';
import { toFault } from '../../src/settlement/fill-fault.ts';
import type { PlannedFill } from '../../src/settlement/ports.ts';

const fill = (tradeId: string, buyer: string, seller: string) =>
  ({ trade: { tradeId, buyer, seller } }) as unknown as PlannedFill;
const names = (fills: readonly (PlannedFill | { fill: PlannedFill })[]) =>
  fills.map((each) => ('fill' in each ? each.fill : each).trade.tradeId).join(' ');

const BUYER_FUNDS = 0x25;
const SELLER_FUNDS = 0x35;
const TOKEN_FAULT = 0x41;

describe('judging a simulated batch', () => {
  it('sends what settles and blames what a trader made impossible', () => {
    const fills = [fill('1', 'alice', 'bob'), fill('2', 'carol', 'dave'), fill('3', 'erin', 'frank')];
    const { send, blame, later } = judgeBatch(fills, Uint8Array.of(0, SELLER_FUNDS, 0));
    expect([names(send), names(blame), names(later)]).toEqual(['1 3', '2', '']);
    expect(blame[0]?.fault).toEqual({ faultParty: 'seller', reason: expect.stringContaining('seller holds neither') });
  });

  it('does not blame or send a later fill of a wallet whose earlier fill failed: its simulation stood on that one', () => {
    const fills = [
      fill('1', 'alice', 'bob'),
      fill('2', 'carol', 'alice'),
      fill('3', 'bob', 'dave'),
      fill('4', 'x', 'y'),
    ];
    const { send, blame, later } = judgeBatch(fills, Uint8Array.of(BUYER_FUNDS, SELLER_FUNDS, 0, 0));
    expect([names(send), names(blame), names(later)]).toEqual(['4', '1', '']);
  });

  it('tries again what is nobody’s certain fault, and what was not reached', () => {
    const fills = [fill('1', 'alice', 'bob'), fill('2', 'carol', 'dave')];
    const { send, blame, later } = judgeBatch(fills, Uint8Array.of(TOKEN_FAULT, 0xff));
    expect([names(send), names(blame), names(later)]).toEqual(['', '', '1 2']);
  });

  it('names the party by the high digit of the code', () => {
    expect([0x10, 0x25, 0x36, 0x40, 0xff].map((code) => toFault(code).faultParty)).toEqual([
      'operator',
      'buyer',
      'seller',
      'chain',
      'operator',
    ]);
  });
});
