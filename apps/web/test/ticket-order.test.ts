// From the ticket's fields to an order, or to what is wrong with them; and a market's resolution as text.
import { parseBytes32, toOutcomeMarketId } from '@presage/protocol';
import type { BookEvent, Market, ResolutionStatus } from '@presage/sdk';
import { describe, expect, it } from 'vitest';
import { centsText, compactMoney, money, shares, signedMoney } from '../src/lib/format.ts';
import { bondOf, milestonesOf, outcomesToPropose, sentenceOf } from '../src/lib/milestones.ts';
import type { Ticket } from '../src/lib/ticket.ts';
import { countdown, drawTime, spokenDuration } from '../src/lib/times.ts';
import { findObstacle, type Situation } from '../src/ticket/obstacle.ts';
import { readTicket } from '../src/ticket/ticket-order.ts';

const BOOK: BookEvent = {
  type: 'book',
  marketId: '0x',
  outcome: 'YES',
  seq: 1,
  hash: '',
  bids: [{ price: 530_000, size: 100_000_000 }],
  asks: [
    { price: 550_000, size: 100_000_000 },
    { price: 600_000, size: 100_000_000 },
  ],
};
const TICKET: Ticket = {
  side: 'buy',
  outcome: 'YES',
  isPicked: true,
  kind: 'limit',
  slippage: 'usual',
  price: '55.0',
  amount: '100',
  unit: 'shares',
  lifeSeconds: 3_600,
  postOnly: false,
};
const read = (change: Partial<Ticket>) => readTicket({ ...TICKET, ...change }, BOOK, 0n);

describe('a ticket', () => {
  it.each([
    [{ amount: '', price: 'x' }, 'Enter an amount'],
    [{ amount: '0', price: 'x' }, 'Enter how many shares'],
    [{ amount: '-5', price: 'x' }, 'Enter how many shares'],
    [{ amount: '1.0000001', price: 'x' }, 'at most 6 decimals'],
    [{ price: 'x' }, 'Enter a price from'],
    [{ price: '100' }, 'Enter a price from'],
    [{ price: '0' }, 'Enter a price from'],
    [{ price: '55.00001' }, 'Enter a price from'],
    [{ amount: '99999999999' }, 'more than one order can hold'],
    [{ postOnly: true }, 'Post-only, but at this price it would trade at once'],
    [{ unit: 'dollars', amount: '0.001' }, 'less than a hundredth of a share'],
    [{ unit: 'dollars', amount: '0' }, 'Enter how many dollars'],
  ] as const)('with %o says what is wrong: %s', (change, problem) => {
    expect(read(change).problem).toContain(problem);
  });

  it('is the order that its button shows', () => {
    const { order } = read({});
    expect(order?.text).toBe('Buy 100 YES at 55.0¢');
    expect(order?.button).toBe('Buy YES at 55.0¢ or less for $55.01');
    expect(read({ price: '54' }).order?.button).toBe('Bid 54.0¢ for YES, at most $54.01');
    expect(read({ kind: 'now', unit: 'dollars', amount: '11' }).order?.button).toBe('Buy YES for $11.00');
    expect(readTicket({ ...TICKET, side: 'sell', kind: 'now' }, BOOK, 100_000_000n).order?.button).toBe(
      'Sell 100 YES at 52.47¢ or more',
    );
    expect(read({ side: 'sell', kind: 'now' }).order?.button).toBe('Sell 100 YES short for at most $47.53');
    expect(readTicket({ ...TICKET, side: 'sell', kind: 'now' }, BOOK, 40_000_000n).order?.button).toBe(
      'Sell 100 YES (60 short) for at most $28.52',
    );
    expect(order?.params).toMatchObject({
      side: 'buy',
      outcome: 'YES',
      price: 550_000n,
      size: 100_000_000n,
      expiresIn: 3_600,
      selfTradePrevention: 'cancel_resting',
    });
    expect(read({ side: 'sell', outcome: 'NO', price: '47.25', amount: '1.5' }).order?.text).toBe(
      'Sell 1.5 NO at 47.25¢',
    );
  });

  it('never spends more dollars than were typed', () => {
    const { order } = read({ unit: 'dollars', amount: '10', price: '33' });
    expect(order?.size).toBe(30_270_000n);
    expect(order?.button).toBe('Bid 33.0¢ for YES, at most $10.00');
    expect(order?.outcomes.pays).toBeLessThanOrEqual(10_000_000n);
  });

  it('for an immediate order allows 1 % beyond the best price, and asks for no more than is offered now', () => {
    const { order } = read({ kind: 'now', amount: '150' });
    expect(order?.text).toBe('Buy 100 YES now, at most 55.55¢');
    expect(order?.button).toBe('Buy YES for $55.56');
    expect(order?.params).toMatchObject({ timeInForce: 'IOC', price: 555_500n, size: 100_000_000n });
    expect(order?.wish).toBe(150_000_000n);
    expect(order?.fills).toMatchObject({ filled: 100_000_000n, rests: 0n, worstPrice: 550_000 });
    expect(order?.outcomes.pays).toBe(55_000_000n);
  });

  it('for an immediate order on an empty side says so', () => {
    const nobody = { ...BOOK, asks: [] };
    expect(readTicket({ ...TICKET, kind: 'now' }, nobody, 0n).problem).toBe(
      'There are no asks now: place a limit order',
    );
  });
});

describe('an order below the smallest that the chain of its market takes', () => {
  const config = {
    sandbox: true,
    chains: [
      { chainId: 1, minOrderSize: 1 },
      { chainId: 2, minOrderSize: 1_000_000 },
    ],
  };
  const obstacleOf = (chainId: number, change: Partial<Ticket>, book = BOOK) =>
    // The rest has only what the order needs.
    findObstacle({
      market: { chainId, status: 'open', expiration: 2 },
      nowSeconds: 1,
      account: { wallet: {}, setup: 'ready' },
      isPicked: true,
      reading: readTicket({ ...TICKET, ...change }, book, 0n),
      config,
    } as unknown as Situation);

  it('is told so before it is signed', () => {
    expect(obstacleOf(2, { amount: '0.999999' })).toMatchObject({
      button: 'At least 1',
      text: 'This is 0.999999 shares, and the minimum is 1. Order more.',
      isFault: true,
    });
    expect(obstacleOf(2, { unit: 'dollars', amount: '0.2', kind: 'now' })?.button).toBe('At least 1');
    expect(obstacleOf(2, { amount: '1' })).toBeUndefined();
    expect(obstacleOf(1, { amount: '0.000001' })).toBeUndefined();
  });

  it('is not asked to be larger where the book is too small for it', () => {
    const thin = { ...BOOK, asks: [{ price: 550_000, size: 400_000 }] };
    expect(obstacleOf(2, { kind: 'now' }, thin)?.text).toBe(
      'The book fills 0.4 shares, and the minimum is 1. Place a limit order.',
    );
  });
});

describe('a market that takes no orders', () => {
  const at = (market: object) =>
    findObstacle({ market: { status: 'proposed', ...market }, nowSeconds: 1_000, account: {} } as unknown as Situation);

  it('says when it closed, and never a time to come', () => {
    expect(at({ status: 'expired', expiration: 900 })?.text).toBe(
      'This market closed at 00:15 UTC. Pick one that is open.',
    );
    expect(at({ expiration: 90_000 })?.text).toBe(
      'Trading stopped before the end of this market. Pick one that is open.',
    );
  });
});

describe('figures', () => {
  it('are exact where they are small and abbreviated where they are large', () => {
    expect([centsText(550_000), centsText(555_555), centsText(1)]).toEqual(['55.0', '55.5555', '0.0001']);
    expect([money(1_021_004_999n), money(-55_000_000), money(1), money(0)]).toEqual([
      '$1,021.00',
      '−$55.00',
      '$0.000001',
      '$0.00',
    ]);
    expect([signedMoney(100_000), signedMoney(-1_000_000)]).toEqual(['+$0.10', '−$1.00']);
    expect([shares(1_234_567_890_000n), shares(1), shares(0)]).toEqual(['1,234,567.89', '0.000001', '0']);
    expect([compactMoney(18_200_000_000n), compactMoney(9_410_000_000), compactMoney(1_240_000_000_000n)]).toEqual([
      '$18.2k',
      '$9,410',
      '$1.24M',
    ]);
  });

  it('of time name the year where the day alone could be taken for another one', () => {
    const [now, soon, far] = [1_798_000_000, 1_799_000_000, 1_830_000_000];
    expect([drawTime(now, now), drawTime(soon, now), drawTime(far, now), drawTime(now, far)]).toEqual([
      '04:26 UTC',
      '3 Jan 18:13 UTC',
      '28 Dec 2027 13:20 UTC',
      '23 Dec 2026 04:26 UTC',
    ]);
  });

  it('of time are formatted for display and for screen readers', () => {
    expect([countdown(372), countdown(3_972), countdown(200_000), countdown(-5)]).toEqual([
      '06:12',
      '1:06:12',
      '2 d 7 h',
      '00:00',
    ]);
    expect(spokenDuration(372)).toBe('6 minutes 12 seconds');
    expect(spokenDuration(3_660)).toBe('1 hour 1 minute');
  });
});

describe('the resolution of a market', () => {
  const market = { id: `0x${'12'.repeat(32)}`, kind: 'standard', expiration: 1_000_000 } as Market;
  const assertion = {
    id: '0x1',
    proposer: `0x${'ab'.repeat(20)}`,
    proposedOutcome: true,
    bondAmount: '100000000',
    assertionTime: 1_000_100,
    expirationTime: 1_007_300,
    settled: false,
    settlementResolution: false,
    disputed: false,
    bondPayer: `0x${'ab'.repeat(20)}`,
    disputer: null,
  };
  const at = (status: ResolutionStatus['status'], nowSeconds: number, more: object = {}) => ({
    market,
    nowSeconds,
    disputeWindowSeconds: 7_200,
    resolution: { status, history: [], round: 0, disputer: null, ...more } as unknown as ResolutionStatus,
  });

  it.each([
    ['open', at('open', 999_000), 'Open for trading', 'Trading is open until'],
    ['expired', at('expired', 1_000_001), 'Closed', 'Anyone may propose the result'],
    ['proposed', at('proposed', 1_000_200, { assertion }), '2 h dispute window', 'You can redeem after'],
    ['over', at('proposed', 1_007_300, { assertion }), '2 h dispute window', 'anyone may settle the market now'],
    [
      'disputed',
      at('disputed', 1_000_300, { assertion }),
      'Disputed: the oracle decides',
      'once the oracle has decided',
    ],
  ])('is at one step with one sentence when %s', (_name, facts, step, sentence) => {
    expect(
      milestonesOf(facts)
        .filter(({ state }) => state === 'now')
        .map(({ text }) => text),
    ).toEqual([step]);
    expect(sentenceOf(facts)).toContain(sentence);
  });

  it('has completed all steps when the market is resolved or void', () => {
    for (const facts of [at('resolved', 1_010_000, { winningOutcome: 1, assertion }), at('void', 1_010_000)]) {
      expect(milestonesOf(facts).every(({ state }) => state === 'done')).toBe(true);
      expect(sentenceOf(facts)).toContain('You can redeem now');
    }
  });

  it('says what the shares of a void market pay, also those of an event', () => {
    const of = (id: string) => ({ ...at('void', 1_010_000), market: { ...market, id } });
    expect(sentenceOf(of(market.id))).toBe('The market is void. Every share pays 50¢. You can redeem now.');
    const outcome = toOutcomeMarketId(parseBytes32(market.id)!, 0, 4);
    expect(sentenceOf(of(outcome))).toBe('The market is void. YES pays 25¢, NO 75¢. You can redeem now.');
    expect(milestonesOf(of(outcome))[4]?.text).toBe('Void: YES pays 25¢, NO 75¢');
  });

  it('that came early has no time to come as its close', () => {
    const [, closed] = milestonesOf(at('proposed', 999_000, { assertion }));
    expect(closed).toMatchObject({ text: 'Closed', when: 'early' });
  });

  it('is proposed with the bond of the market, and of an event by its winner', () => {
    const chain = { bondAmount: '100' };
    expect([bondOf({ bond: '250' }, chain), bondOf({}, chain)]).toEqual([250n, 100n]);
    expect(outcomesToPropose(market)).toEqual(['YES', 'NO']);
    expect(outcomesToPropose({ event: { id: '0x1', index: 0, name: 'A' } })).toEqual(['YES']);
  });

  it('names the proposer and their bond', () => {
    expect(milestonesOf(at('proposed', 1_000_200, { assertion }))[2]?.text).toBe(
      'Proposed YES by 0xabab…abab, bond $100.00',
    );
  });
});
