// Who is sent, who is blamed, and who is only simulated again.
import { fillCodes } from '@presage/contracts';
import { describe, expect, it } from 'vitest';
import { type ExecutedFill, judgeBatch, judgeExecuted } from '../../src/settlement/batch-judgement.ts';
import { toFault } from '../../src/settlement/fill-fault.ts';
import type { PlannedFill } from '../../src/settlement/ports.ts';

const fill = (tradeId: string, buyer: string, seller: string) =>
  ({ trade: { tradeId, buyer, seller } }) as unknown as PlannedFill;
const names = (fills: readonly (PlannedFill | { fill: PlannedFill })[]) =>
  fills.map((each) => ('fill' in each ? each.fill : each).trade.tradeId).join(' ');

const BUYER_FUNDS = 0x25;
const SELLER_FUNDS = 0x35;
const TOKEN_FAULT = 0x41;
const { MARKET_ENDED } = fillCodes;

describe('judging a simulated batch', () => {
  it('sends what settles and blames what a trader made impossible', () => {
    const fills = [fill('1', 'alice', 'bob'), fill('2', 'carol', 'dave'), fill('3', 'erin', 'frank')];
    const { send, blame, later } = judgeBatch(fills, Uint8Array.of(0, SELLER_FUNDS, 0));
    expect([names(send), names(blame), names(later)]).toEqual(['1 3', '2', '']);
    expect(blame[0]?.fault).toMatchObject({
      faultParty: 'seller',
      reason: expect.stringContaining('seller holds neither'),
    });
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

  it('blames no trader behind a fill that is not mined, and voids what the end of a market made impossible', () => {
    const fills = [fill('1', 'alice', 'bob'), fill('2', 'carol', 'dave')];
    const { uncertain, blame } = judgeBatch(
      fills,
      Uint8Array.of(BUYER_FUNDS, MARKET_ENDED),
      new Set(['alice', 'carol']),
    );
    expect([names(uncertain), names(blame)]).toEqual(['1', '2']);
  });

  it('retries what a wallet lacks whose permit lost its block, and blames others for what they lack', () => {
    const fills = [fill('1', 'alice', 'bob'), fill('2', 'carol', 'dave')];
    const lost = new Set(['alice', 'carol']);
    const { blame, later } = judgeBatch(fills, Uint8Array.of(BUYER_FUNDS, SELLER_FUNDS), new Set(), lost);
    expect([names(blame), names(later)]).toEqual(['2', '1']);
  });

  it('retries what is no party’s certain fault', () => {
    const { send, blame, later } = judgeBatch([fill('1', 'alice', 'bob')], Uint8Array.of(TOKEN_FAULT));
    expect([names(send), names(blame), names(later)]).toEqual(['', '', '1']);
  });

  it('sends what the gas of one transaction reaches and leaves the rest to the next, but does not try nothing for ever', () => {
    const fills = [fill('1', 'alice', 'bob'), fill('2', 'carol', 'dave'), fill('3', 'erin', 'frank')];
    const reached = judgeBatch(fills, Uint8Array.of(0, 0xff, 0xff));
    expect([names(reached.send), names(reached.blame), names(reached.later)]).toEqual(['1', '', '']);
    const none = judgeBatch(fills, Uint8Array.of(0xff, 0xff, 0xff));
    expect([names(none.send), names(none.later)]).toEqual(['', '1']);
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

describe('judging a batch that was simulated behind others', () => {
  const fills = [fill('1', 'alice', 'bob'), fill('2', 'carol', 'dave'), fill('3', 'dave', 'erin')];

  it('blames nobody whose earlier fill is not mined: that one may be the reason', () => {
    const codes = Uint8Array.of(BUYER_FUNDS, SELLER_FUNDS, 0);
    const { send, blame, uncertain } = judgeBatch(fills, codes, new Set(['bob']));
    expect([names(send), names(blame), names(uncertain)]).toEqual(['', '2', '1']);
  });

  it('sends what settles behind a fill that is not mined', () => {
    const { send } = judgeBatch(fills, Uint8Array.of(0, 0, 0), new Set(['alice', 'dave']));
    expect(names(send)).toBe('1 2 3');
  });
});

describe('judging a batch that the chain has executed', () => {
  const executed = (buyer: string, seller: string, code: number, wasBehindUnmined = false): ExecutedFill => ({
    buyer,
    seller,
    wasBehindUnmined,
    outcome: code === 0 ? { kind: 'settled', minted: 7 } : { kind: 'failed', code },
  });
  const verdicts = (...fills: ExecutedFill[]) =>
    judgeExecuted(fills).map((verdict) => (verdict.kind === 'returned' ? verdict.isUncertain : verdict.kind));

  it('blames a fill that failed with everything before it settled', () => {
    expect(verdicts(executed('alice', 'bob', 0), executed('alice', 'carol', BUYER_FUNDS))).toEqual([
      'settled',
      'blamed',
    ]);
  });

  it('blames nobody for a fill that was sent behind one that was not mined: it comes back and is looked at alone', () => {
    expect(verdicts(executed('alice', 'bob', BUYER_FUNDS, true))).toEqual([true]);
  });

  it('blames nobody for a fill behind a failure of the same batch', () => {
    const first = executed('alice', 'bob', SELLER_FUNDS);
    expect(verdicts(first, executed('carol', 'alice', SELLER_FUNDS), executed('x', 'y', 0))).toEqual([
      'blamed',
      true,
      'settled',
    ]);
  });

  it('sends again what is no party’s fault, and holds no wallet back for it', () => {
    const missed: ExecutedFill = { ...executed('a', 'b', 0), outcome: { kind: 'not-attempted' } };
    expect(verdicts(executed('alice', 'bob', TOKEN_FAULT), missed)).toEqual([false, false]);
  });
});
