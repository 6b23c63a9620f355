// The ticket of an outcome says what both ways to hold it cost, and buys it the cheaper one, all or none.
import type { MarketEvent } from '@presage/sdk';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { findFaults } from '../accessibility.ts';
import type { Visit } from '../browser.ts';
import { openScreen, TIMEOUT, textOf } from '../page-actions.ts';
import type { Place, Visitor } from '../place.ts';

const OUTCOMES = ['Elm', 'Fir', 'Gum', 'Hazel'];
/** Cents that YES is offered at, and NO: at first YES of Hazel costs 11, and NO of the others 213 less the 200 that come back. */
const ASKS = [
  [46, 56],
  [31, 71],
  [16, 86],
  [11, 91],
] as const;
/** What makes it 210 less 200. */
const CHEAPER = [55, 70, 85];

export function testCheapestWay(place: Place, visitor: Visitor): void {
  describe('the cheapest way to an outcome', () => {
    let visit: Visit;
    let page: Page;
    let event: MarketEvent;
    let address: string;
    let earlier = 0;

    beforeAll(async () => {
      const { sandbox } = place;
      const question = 'Which tree is the tallest?';
      event = await sandbox.controls.createEvent({ question, outcomes: OUTCOMES, expiresIn: 30 * 86_400 });
      for (const { index, marketId } of event.outcomes) {
        const [yes, no] = ASKS[index]!;
        await sandbox.quote(marketId, [
          { side: 'sell', price: `${yes}c`, size: '500' },
          { outcome: 'NO', side: 'sell', price: `${no}c`, size: '500' },
        ]);
      }
      visit = await visitor.open(`/e/${event.id}?outcome=3`);
      page = visit.page;
      earlier = visit.complaints.length;
      address = await visitor.openWallet(page);
    });

    const offerCheaper = async () => {
      for (const [index, price] of CHEAPER.entries()) {
        const quotes = [{ outcome: 'NO', side: 'sell', price: `${price}c`, size: '40' }] as const;
        await place.sandbox.quote(event.outcomes[index]!.marketId, quotes, 'cheaper');
      }
    };
    const fillIn = async (shares: string) => {
      if ((await page.getByTestId('unit').innerText()).includes('shares')) await page.getByTestId('unit').click();
      await page.getByTestId('size').fill(shares);
    };
    const best = (way: 'direct' | 'converted') => page.locator(`[data-testid=ways][data-best=${way}]`).waitFor(TIMEOUT);
    const holding = async (index: number) => {
      const { yesShares, noShares } = await place.sandbox.reader.getPosition(event.outcomes[index]!.marketId, address);
      return [Number(yesShares), Number(noShares)];
    };
    const holdings = () => Promise.all(OUTCOMES.map((_, index) => holding(index)));

    it('is YES itself where that costs less, and says so', async () => {
      await page.getByTestId('outcome-3-YES').click();
      await page.getByTestId('ticket-of').filter({ hasText: 'Hazel' }).waitFor(TIMEOUT);
      await fillIn('10');
      await best('direct');
      expect(await textOf(page, 'ways')).toBe(
        'YES is the cheapest way: by NO of the 3 others it would cost $1.30 instead of $1.10.',
      );
      expect(await page.getByTestId('buy-converted').count()).toBe(0);
    });

    it('is NO of the others where that costs less: one press buys and converts them', async () => {
      await offerCheaper();
      await best('converted');
      expect(await textOf(page, 'converted-total')).toBe('$1.00');
      expect(await textOf(page, 'direct-total')).toBe('$1.10');
      expect(await textOf(page, 'first')).toMatch(/^It takes \$21\.\d\d at first; \$20\.00 of it comes back/);
      expect(await findFaults(page, { within: '[data-testid=ticket]' })).toEqual([]);
      await page.getByTestId('buy-converted').click();
      await page.getByTestId('toast').filter({ hasText: 'done, converted' }).waitFor(TIMEOUT);
      await expect.poll(holdings, TIMEOUT).toEqual([
        [0, 0],
        [0, 0],
        [0, 0],
        [10_000_000, 0],
      ]);
    });

    it('buys nothing where the offers are gone before the orders arrive, and says so', async () => {
      await fillIn('10');
      await best('converted');
      // What was quoted last is what the press is about, too.
      const quoted = await place.sandbox.reader.quoteEvent(event.id, { index: 3, size: '10' });
      expect(quoted.best).toBe('converted');
      await page.route('**/quote?*', (route) => route.fulfill({ json: quoted }));
      await place.sandbox.client('cheaper').cancelAll({ marketId: event.outcomes[1]!.marketId });
      await page.getByTestId('buy-converted').click();
      await page.getByTestId('toast').filter({ hasText: 'Nothing was bought' }).waitFor(TIMEOUT);
      expect((await holdings()).slice(0, 3)).toEqual([
        [0, 0],
        [0, 0],
        [0, 0],
      ]);
      // The wallet may have orders of other tests.
      const { orders } = await place.sandbox.reader.listOrders(address);
      const marketIds = event.outcomes.map(({ marketId }) => marketId);
      expect(orders.filter(({ marketId }) => marketIds.includes(marketId))).toEqual([]);
      await page.unroute('**/quote?*');
      await best('direct');
    });

    it('stands in the sheet of a phone, without a fault and without scrolling sideways', async () => {
      await offerCheaper();
      const desk = page.viewportSize()!;
      await page.setViewportSize({ width: 390, height: 844 });
      await openScreen(page, `/e/${event.id}?outcome=3`);
      await page.getByTestId('outcome-3-YES').click();
      await fillIn('10');
      await best('converted');
      expect(await findFaults(page, { within: '[data-testid=ticket]' })).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
      await page.setViewportSize(desk);
    });

    it('caused no error in the browser console', () => {
      // The browser itself tells of the refused batch.
      const others = visit.complaints.slice(earlier).filter((text) => !text.includes('409'));
      expect(others).toEqual([]);
    });
  });
}
