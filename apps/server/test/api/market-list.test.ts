// Lists of markets: what they show is what sorting all of them at every request would give.
import { Engine, type MarketView } from '@presage/engine';
import { LIMITS, MARKET_KINDS } from '@presage/protocol';
import { marketFacts, SeededRandom, seedFromEnv } from '@presage/testkit';
import { describe, expect, it } from 'vitest';
import { chooseMarkets, MarketsByAge, parseCursor } from '../../src/api/market-list.ts';

const SEED = seedFromEnv(7);
const [NOW_MS, NOW_SECONDS] = [1_900_000_000_000, 1_900_000_000];
const NO_FILTER = {
  chainId: undefined,
  status: undefined,
  category: undefined,
  kind: undefined,
  search: undefined,
  limit: undefined,
  cursor: undefined,
};
const presentation = {
  textsOf: ({ facts: { question, description, category } }: MarketView) => {
    return { question, description, category, source: '', imageUrl: '' };
  },
};
/** Others come first before each market. */
const read = { isTurnOver: true, next: async () => undefined };
const CONTEXT = { nowSeconds: NOW_SECONDS, presentation, read };

class Listing {
  readonly engine = new Engine();
  readonly byAge = new MarketsByAge(this.engine);
  readonly #random = new SeededRandom(SEED);

  /** Several of one second, and not in the order of their creation. */
  add(count: number): void {
    for (let added = 0; added < count; added++) {
      const [marketId, createdAt] = [this.#random.hex(32), 1_800_000_000 + this.#random.below(100)];
      const kind = this.#random.pick(MARKET_KINDS);
      const market = { ...marketFacts(), marketId, createdAt, kind, question: `Question ${this.#random.below(10)}?` };
      this.engine.apply({ type: 'list-market', timeMs: NOW_MS, market });
      if (this.#random.below(3) > 0) this.close(marketId);
    }
  }

  close(marketId: MarketView['facts']['marketId']): void {
    this.engine.apply({ type: 'close-market', timeMs: NOW_MS, marketId, reason: 'expired' });
    // Most that are closed are decided, too, and retire.
    const resolution = { status: 'resolved' as const, round: 0, history: [] };
    if (this.#random.below(4) > 0)
      this.engine.apply({ type: 'change-resolution', timeMs: NOW_MS, marketId, resolution });
  }

  async ids(query: Partial<Parameters<typeof chooseMarkets>[1]> = {}): Promise<string[]> {
    const { markets } = await chooseMarkets(this.byAge, { ...NO_FILTER, ...query }, CONTEXT);
    return markets.map(({ facts }) => facts.marketId);
  }

  sorted(): MarketView[] {
    const compare = ({ facts: a }: MarketView, { facts: b }: MarketView) =>
      b.createdAt - a.createdAt || (a.marketId < b.marketId ? -1 : 1);
    return this.engine.markets().sort(compare);
  }

  expected(): string[] {
    const of = (status: string) => this.sorted().filter((view) => view.status === status);
    const listed = [...of('open'), ...of('closed').slice(0, LIMITS.closedMarketsListed)];
    return listed.map(({ facts }) => facts.marketId);
  }
}

describe('a list of markets', () => {
  it('shows all open markets and the newest closed ones, also after more are listed and closed', async () => {
    const listing = new Listing();
    for (let round = 0; round < 4; round++) {
      listing.add(120);
      expect(await listing.ids()).toEqual(listing.expected());
      const open = listing.sorted().filter(({ status }) => status === 'open');
      for (const { facts } of open.slice(0, 5)) listing.close(facts.marketId);
      expect(await listing.ids()).toEqual(listing.expected());
    }
  });

  it('is the same page by page', async () => {
    const listing = new Listing();
    listing.add(250);
    const seen: string[] = [];
    let text: string | null = null;
    do {
      const cursor = text === null ? undefined : parseCursor(text);
      const page: Awaited<ReturnType<typeof chooseMarkets>> = await chooseMarkets(
        listing.byAge,
        { ...NO_FILTER, limit: 40, cursor },
        CONTEXT,
      );
      seen.push(...page.markets.map(({ facts }) => facts.marketId));
      text = page.nextCursor;
    } while (text !== null);
    expect(seen).toEqual(listing.sorted().map(({ facts }) => facts.marketId));
  });

  it('applies its filters', async () => {
    const listing = new Listing();
    listing.add(100);
    const open = listing.sorted().filter(({ status }) => status === 'open');
    expect(await listing.ids({ status: 'open' })).toEqual(open.map(({ facts }) => facts.marketId));
    expect(await listing.ids({ chainId: 1 })).toEqual([]);
    const expected = (fits: (view: MarketView) => boolean) =>
      listing
        .sorted()
        .filter(fits)
        .map(({ facts }) => facts.marketId);
    const resolved = expected(({ resolution }) => resolution?.status === 'resolved');
    expect(await listing.ids({ status: 'resolved', limit: 100 })).toEqual(resolved);
    expect(resolved).toHaveLength([...listing.engine.retiredMarkets()].length);
    expect(await listing.ids({ kind: 'quick', limit: 100 })).toEqual(expected(({ facts }) => facts.kind === 'quick'));
    const found = expected(({ facts }) => facts.question === 'Question 3?');
    expect(await listing.ids({ search: 'question 3', category: 'general', limit: 100 })).toEqual(found);
    expect(await listing.ids({ category: 'weather', limit: 100 })).toEqual([]);
  });

  it('finds every word of a search in any order, in the question or the description', async () => {
    const listing = new Listing();
    listing.add(100);
    const found = listing.sorted().filter(({ facts }) => facts.question === 'Question 3?');
    const ids = found.map(({ facts }) => facts.marketId);
    expect(await listing.ids({ search: '3? airport  QUESTION', limit: 100 })).toEqual(ids);
    expect(await listing.ids({ search: '3? harbour', limit: 100 })).toEqual([]);
  });

  it('lets others come first while it passes over markets that cannot fit', async () => {
    const listing = new Listing();
    listing.add(100);
    let turns = 0;
    const counted = { isTurnOver: true, next: async () => void turns++ };
    const query = { ...NO_FILTER, status: 'void' as const, limit: 1 };
    const { markets } = await chooseMarkets(listing.byAge, query, { ...CONTEXT, read: counted });
    expect(markets).toEqual([]);
    expect(turns).toBe(100);
  });
});
