// Lies about events: each is caught, and an honest event passes.
import { Engine } from '@presage/engine';
import {
  type Bytes32,
  isJournalled,
  type JournalRecord,
  type MarketFacts,
  type MarketResolution,
  type SharesMoved,
} from '@presage/protocol';
import { eventFacts, listMarket, marketFacts, TRADERS } from '@presage/testkit';
import { describe, expect, it } from 'vitest';
import { checkEvents } from '../../src/verify/checks/event-check.ts';
import { HistoryCheck } from '../../src/verify/checks/history-check.ts';
import { checkSolvency } from '../../src/verify/checks/solvency.ts';
import { Violation, type ViolationKind } from '../../src/verify/checks/violation.ts';

const START_MS = 1_900_000_000_000;
const MARKETS = eventFacts(['Ada', 'Bea', 'Cleo', 'Dora']);
const hash = (byte: string): Bytes32 => `0x${byte.repeat(32)}` as const;
const DOMAINS = new Map([[31_337, { name: 'PresageSettlement', version: '1' }]]);

type Change = (record: JournalRecord) => JournalRecord;

/** An engine decides what is listed and resolved; conversions are facts beside it. */
class EventHistory {
  readonly #engine = new Engine();
  readonly records: JournalRecord[] = [];

  list(markets: readonly MarketFacts[] = MARKETS): this {
    for (const market of markets) this.#run(listMarket(START_MS, market));
    return this;
  }

  /** `amount` of YES and NO of one outcome, for as much collateral. */
  split(index: number, amount: number): this {
    const shares = { yesShares: `${amount}`, noShares: `${amount}` };
    this.records.push({ ...this.#fact(index, '51'), type: 'shares-moved', cause: 'split', ...shares });
    return this;
  }

  /** NO of the first outcomes for YES of the others. */
  convert(count: number, amount: number): this {
    const gave = (1 << count) - 1;
    const conversion = { gave: `${gave}`, got: `${15 ^ gave}`, freed: `${(count - 1) * amount}` };
    for (const index of MARKETS.keys()) {
      const shares =
        index < count ? { yesShares: '0', noShares: `${-amount}` } : { yesShares: `${amount}`, noShares: '0' };
      this.records.push({
        ...this.#fact(index, 'c0'),
        type: 'shares-moved',
        cause: 'conversion',
        ...shares,
        conversion,
      });
    }
    return this;
  }

  /** Collateral of positions of no market. */
  hold(amount: number): this {
    const nothing = { yesShares: '0', noShares: '0', conversion: { gave: '0', got: '0', freed: `${-amount}` } };
    this.records.push({ ...this.#fact(0, 'd0'), type: 'shares-moved', cause: 'conversion', ...nothing });
    return this;
  }

  /** YES of an outcome that comes from such positions. */
  give(index: number, amount: number): this {
    const fact = this.#fact(index, `${70 + this.records.length}`);
    this.records.push({ ...fact, type: 'shares-moved', cause: 'transfer', yesShares: `${amount}`, noShares: '0' });
    return this;
  }

  resolve(of: (index: number) => Partial<MarketResolution>): this {
    const resolvedAt = { transactionHash: hash('77'), blockNumber: 9, blockHash: hash('09') };
    for (const [index, { marketId }] of MARKETS.entries()) {
      const resolution = { status: 'resolved', round: 1, history: [], resolvedAt, ...of(index) } as const;
      this.#run({ type: 'change-resolution', timeMs: START_MS + 1, marketId, resolution });
    }
    return this;
  }

  /** Throws the violation that is found, if any. */
  async check(change: Change = (record) => record): Promise<void> {
    const check = new HistoryCheck({ domains: DOMAINS });
    await check.add(this.records.map(change), 1);
    checkEvents(check.ledger);
    checkSolvency(check.ledger);
  }

  #fact(index: number, log: string) {
    const place = {
      txHash: hash(log),
      logIndex: 1,
      blockNumber: 7,
      blockHash: hash('07'),
      timestamp: START_MS / 1_000,
    };
    return { timeMs: START_MS, marketId: MARKETS[index]!.marketId, userAddress: TRADERS.alice, ...place };
  }

  #run(command: Parameters<Engine['apply']>[0]): void {
    this.records.push(...this.#engine.apply(command, this.records.length + 1).filter(isJournalled));
  }
}

const WINS = (winner: number) => (index: number) => ({
  winningOutcome: index === winner ? (0 as const) : (1 as const),
  payouts: index === winner ? ([1_000_000, 0] as const) : ([0, 1_000_000] as const),
});
const VOID = () => ({ status: 'void' as const, payouts: [1, 3] as const, payoutDenominator: 4 });

const honest = () => new EventHistory().list().split(0, 100).split(1, 100).convert(2, 60);

async function expectCaught(kind: ViolationKind, history: EventHistory, change?: Change): Promise<void> {
  const found = await history.check(change).then(
    () => undefined,
    (error) => error,
  );
  expect(found).toBeInstanceOf(Violation);
  expect((found as Violation).kind, (found as Violation).detail).toBe(kind);
}

/** Changes the record at a place among those of its kind. */
function changeMove(which: number, fields: Partial<SharesMoved>): Change {
  let met = 0;
  return (record) => {
    const isConversion = record.type === 'shares-moved' && record.cause === 'conversion';
    return isConversion && met++ === which ? { ...record, ...fields } : record;
  };
}

describe('an honest event', () => {
  it('passes while it trades, with a winner and when it is void', async () => {
    await honest().check();
    for (const winner of MARKETS.keys()) await honest().resolve(WINS(winner)).check();
    await honest().resolve(VOID).check();
  });

  it('passes with positions of no market, of which the collateral is told, and shares made of them', async () => {
    const history = new EventHistory().list().hold(100).give(0, 60).give(1, 60);
    await history.check();
    await expectCaught('shares_unbacked', history.give(0, 41));
  });

  it('passes while only some of its outcomes are listed', async () => {
    await new EventHistory().list(MARKETS.slice(0, 2)).split(0, 100).split(1, 100).check();
  });

  it('passes beside markets without an event', async () => {
    await new EventHistory().list([marketFacts(), ...MARKETS]).check();
  });
});

describe('a lie about an event', () => {
  it('a market that is not the outcome that it claims to be', async () => {
    const [first, second] = MARKETS;
    await expectCaught('event_market_wrong', new EventHistory().list([{ ...first!, event: second!.event! }]));
    const { event: _, ...without } = first!;
    await expectCaught('event_market_wrong', new EventHistory().list([without]));
    const other = { ...second!, event: { ...second!.event!, question: 'Who loses the cup?' } };
    await expectCaught('event_market_wrong', new EventHistory().list([first!, other]));
  });

  it('shares that are of another condition, or of another outcome', async () => {
    const [first, second] = MARKETS;
    const { yesTokenId, noTokenId } = second!;
    await expectCaught('event_shares_wrong', new EventHistory().list([{ ...first!, yesTokenId, noTokenId }]));
    await expectCaught('event_shares_wrong', new EventHistory().list([{ ...first!, noTokenId: '7' }]));
  });

  it('two winners', () =>
    expectCaught(
      'event_two_winners',
      honest().resolve((index) => WINS(index < 2 ? index : 0)(index)),
    ));

  it('a void that pays some outcomes more', async () => {
    await expectCaught(
      'event_payout_wrong',
      honest().resolve(() => ({ ...VOID(), payouts: [2, 2] })),
    );
    await expectCaught(
      'event_payout_wrong',
      honest().resolve(() => ({ ...VOID(), payouts: [1, 4] })),
    );
    const halves = { status: 'void', payouts: [500_000, 500_000] } as const;
    await expectCaught(
      'event_payout_wrong',
      honest().resolve(() => halves),
    );
  });

  it('a winner that does not pay all', () =>
    expectCaught(
      'event_payout_wrong',
      honest().resolve((index) => ({ ...WINS(0)(index), payouts: [900_000, 100_000] })),
    ));

  it('a conversion that frees more than the shares are worth', () =>
    expectCaught('conversion_wrong', honest(), changeMove(0, { conversion: { gave: '3', got: '12', freed: '61' } })));

  it('a conversion that gives more shares than went', () =>
    expectCaught('conversion_wrong', honest(), changeMove(3, { yesShares: '61' })));

  it('a conversion of one NO, of which no collateral tells, that gives more shares than went', () =>
    expectCaught(
      'conversion_wrong',
      new EventHistory().list().split(0, 100).convert(1, 60),
      changeMove(1, { yesShares: '61' }),
    ));

  it('collateral of positions of no market that comes with shares', () =>
    expectCaught('conversion_wrong', new EventHistory().list().hold(100), changeMove(0, { yesShares: '100' })));

  it('a conversion into an outcome that went', () =>
    expectCaught('conversion_wrong', honest(), changeMove(0, { noShares: '0', yesShares: '60' })));

  it('a move that is called a conversion and says nothing of it', () => {
    const { conversion: _, ...rest } = honest().records.find(
      (record) => record.type === 'shares-moved' && record.cause === 'conversion',
    ) as SharesMoved;
    return expectCaught('conversion_wrong', honest(), (record) =>
      record.type === 'shares-moved' && record.cause === 'conversion' ? rest : record,
    );
  });

  it('shares of all outcomes together that the collateral does not pay for', () => {
    const history = honest();
    const given = {
      ...history.records.findLast(({ type }) => type === 'shares-moved'),
      cause: 'transfer',
    } as SharesMoved;
    const { conversion: _, ...transfer } = given;
    history.records.push({ ...transfer, txHash: hash('99'), yesShares: '100', noShares: '0' });
    return expectCaught('shares_unbacked', history);
  });
});
