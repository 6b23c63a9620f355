// An event on the page: its card, its outcomes, a trade in two of them, the conversion, and the portfolio.
import type { MarketEvent } from '@presage/sdk';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { percent } from '../../src/lib/format.ts';
import type { Visit } from '../browser.ts';
import { openScreen, seeLiveBook, TIMEOUT, textOf } from '../page-actions.ts';
import type { Place, Visitor } from '../place.ts';

const QUESTION = 'Which of four comes first?';
const OUTCOMES = ['Alder', 'Birch', 'Cedar', 'Dogwood'];
/** Cents that YES of each is bid and offered at. */
const QUOTES = [
  [44, 46],
  [29, 31],
  [14, 16],
  [9, 11],
] as const;

export function testEvents(place: Place, visitor: Visitor): void {
  describe('an event', () => {
    let visit: Visit;
    let page: Page;
    let event: MarketEvent;
    let address: string;
    /** Complaints of the same visit before this. */
    let earlier = 0;

    beforeAll(async () => {
      const { sandbox } = place;
      event = await sandbox.controls.createEvent({ question: QUESTION, outcomes: OUTCOMES, expiresIn: 30 * 86_400 });
      for (const { index, marketId } of event.outcomes) {
        const [bid, ask] = QUOTES[index]!;
        await sandbox.quote(marketId, [
          { side: 'buy', price: `${bid}c`, size: '500' },
          { side: 'sell', price: `${ask}c`, size: '500' },
          { outcome: 'NO', side: 'buy', price: `${100 - ask}c`, size: '500' },
          { outcome: 'NO', side: 'sell', price: `${100 - bid}c`, size: '500' },
        ]);
      }
      visit = await visitor.open('/');
      page = visit.page;
      earlier = visit.complaints.length;
    });

    const row = (index: number) => page.locator(`[data-testid=outcome][data-index="${index}"]`);
    const holding = async (index: number) => {
      const { yesShares, noShares } = await place.sandbox.reader.getPosition(event.outcomes[index]!.marketId, address);
      return [Number(yesShares), Number(noShares)];
    };

    it('is one card, with its most likely outcomes, and not a card for each of them', async () => {
      const card = page.locator(`[data-event="${event.id}"]`);
      await card.waitFor(TIMEOUT);
      await expect
        .poll(async () => (await card.getByTestId('outcome-chance').allInnerTexts()).join(), TIMEOUT)
        .toBe('45%,30%,15%');
      expect(await page.locator(`[data-market="${event.outcomes[0]!.marketId}"]`).count()).toBe(0);
      await card.getByRole('link', { name: `Buy NO: Birch, ${QUESTION}` }).click();
      await page.getByTestId('event-title').filter({ hasText: QUESTION }).waitFor(TIMEOUT);
      expect(await textOf(page, 'ticket-of')).toBe('Birch');
      await seeLiveBook(page);
      expect(await page.getByTestId('outcome-NO').locator('input').isChecked()).toBe(true);
    });

    it('lists its outcomes with their chances and both prices, as the service has them', async () => {
      const { outcomes } = await place.sandbox.reader.getEvent(event.id);
      for (const { index, name, chance } of outcomes) {
        await row(index).getByText(name, { exact: true }).waitFor(TIMEOUT);
        expect(await row(index).getByTestId('outcome-chance').innerText()).toBe(percent(chance ?? 0));
        const [bid, ask] = QUOTES[index]!;
        expect(await row(index).getByTestId(`outcome-${index}-YES`).innerText()).toMatch(new RegExp(`YES\\s+${ask}¢`));
        expect(await row(index).getByTestId(`outcome-${index}-NO`).innerText()).toMatch(
          new RegExp(`NO\\s+${100 - bid}¢`),
        );
      }
      expect(await textOf(page, 'sum')).toBe('The chances add up to 100.0%');
      await page.locator('[data-testid=event-chart][data-state=ready]').waitFor(TIMEOUT);
      expect(await page.getByTestId('chart-key').allInnerTexts()).toEqual(OUTCOMES);
    });

    it('changes the ticket and the book with the chosen outcome', async () => {
      await row(0).locator('.outcome-name').click();
      await page.getByTestId('ticket-of').filter({ hasText: 'Alder' }).waitFor(TIMEOUT);
      await page.getByTestId('ask-0').filter({ hasText: '56.0' }).waitFor(TIMEOUT);
      await row(2).getByTestId('outcome-2-NO').click();
      await page.getByTestId('ticket-of').filter({ hasText: 'Cedar' }).waitFor(TIMEOUT);
      expect(await page.getByTestId('outcome-NO').locator('input').isChecked()).toBe(true);
    });

    it('takes orders for NO of two outcomes, and says what converting them frees', async () => {
      address = await visitor.openWallet(page);
      for (const index of [0, 1]) {
        await row(index).getByTestId(`outcome-${index}-NO`).click();
        await page.getByTestId('ticket-of').filter({ hasText: OUTCOMES[index]! }).waitFor(TIMEOUT);
        if ((await page.getByTestId('unit').innerText()).includes('shares')) await page.getByTestId('unit').click();
        await page.getByTestId('size').fill('20');
        await page.locator('[data-testid=submit][data-state=ready]').waitFor(TIMEOUT);
        await page.getByTestId('submit').click();
        await expect.poll(() => holding(index), TIMEOUT).toEqual([0, 20_000_000]);
        await row(index).getByText('20 NO yours').waitFor(TIMEOUT);
      }
      await page.getByTestId('freed').filter({ hasText: '$20.00' }).waitFor(TIMEOUT);
    });

    it('stands in the portfolio as one group, and is converted there', async () => {
      await openScreen(page, '/portfolio');
      const group = page.getByTestId('event-group').filter({ hasText: QUESTION });
      await group.filter({ hasText: 'in 2 positions' }).waitFor(TIMEOUT);
      await group.getByTestId('convert-button').filter({ hasText: 'Convert, and free $20.00' }).click(TIMEOUT);
      await page.getByTestId('toast').filter({ hasText: '$20.00 freed' }).waitFor(TIMEOUT);
      for (const [index, held] of [
        [0, [0, 0]],
        [1, [0, 0]],
        [2, [20_000_000, 0]],
        [3, [20_000_000, 0]],
      ] as const) {
        await expect.poll(() => holding(index), TIMEOUT).toEqual(held);
      }
      await expect.poll(() => group.getByTestId('convert').count(), TIMEOUT).toBe(0);
    });

    it('is where the page of one of its markets leads', async () => {
      await openScreen(page, `/m/${event.outcomes[3]!.marketId}`);
      await page.getByTestId('to-event').click(TIMEOUT);
      await page.getByTestId('ticket-of').filter({ hasText: 'Dogwood' }).waitFor(TIMEOUT);
      expect(await row(3).getAttribute('data-chosen')).toBe('true');
      // The ticket keeps its side for the next market, and the tests that follow begin with YES.
      await row(3).getByTestId('outcome-3-YES').click();
    });

    it('is found by the name of an outcome, from every screen', async () => {
      await page.getByTestId('search').fill('dogwood');
      const result = page.getByTestId('search-result');
      await result.filter({ hasText: QUESTION }).waitFor(TIMEOUT);
      expect(await result.count()).toBe(1);
      await page.getByTestId('search').fill('');
    });

    it('tells other sites its question, before any script has run', async () => {
      const html = await (await fetch(`${place.sandbox.url}/e/${event.id}`)).text();
      expect(html).toContain(`<title>${QUESTION}</title>`);
    });

    it('caused no error in the browser console', () => {
      expect(visit.complaints.slice(earlier)).toEqual([]);
    });
  });
}
