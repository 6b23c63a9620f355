// The page in a real browser against a real sandbox: from the first load to a settled order, by mouse and by keyboard.
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { cents, money, roundedCents, shares } from '../../src/lib/format.ts';
import type { Visit } from '../browser.ts';
import { nameOwnPrice, openDetails, recordStages, seeLiveBook, TIMEOUT, textOf } from '../page-actions.ts';
import type { Place, Visitor } from '../place.ts';

export const LASTING_QUESTION = 'Will the page be loved?';

export function testTrade(place: Place, visitor: Visitor): void {
  describe('a trader on the page', () => {
    let visit: Visit;
    let page: Page;
    let marketId: string;

    beforeAll(async () => {
      marketId = (await place.sandbox.newMarket(LASTING_QUESTION)).id;
      await place.sandbox.quote(marketId);
      await place.sandbox.client('taker').placeOrder({ marketId, side: 'buy', price: '55c', size: '25' });
      visit = await visitor.open(`/m/${marketId}`);
      page = visit.page;
    });

    it('sees a live book, the tape, the chart and the time left without a wallet', async () => {
      await seeLiveBook(page);
      expect(await textOf(page, 'market-title')).toBe(LASTING_QUESTION);
      expect(await textOf(page, 'chance')).toBe('54%');
      expect(await textOf(page, 'ask-0')).toBe('55.0');
      expect(await textOf(page, 'bid-0')).toBe('53.0');
      expect(await textOf(page, 'spread')).toContain('spread 2.0¢');
      await page.getByTestId('tape').getByText('55.0¢').first().waitFor(TIMEOUT);
      await page.locator('[data-testid=price-chart][data-state=ready] canvas').first().waitFor(TIMEOUT);
      expect(await textOf(page, 'countdown')).toMatch(/^\d+ d \d+ h$/);
    });

    it('sees the book change while looking at it', async () => {
      await place.sandbox.quote(marketId, [{ side: 'buy', price: '53.5c', size: '40' }]);
      await page.getByTestId('bid-0').filter({ hasText: '53.5' }).waitFor(TIMEOUT);
      // The order is another wallet's: a sale by the maker would only cancel its own bid and rest.
      await place.sandbox.client('taker').placeOrder({ marketId, side: 'sell', price: '53.5c', size: '40' });
      await page.getByTestId('bid-0').filter({ hasText: '53.0' }).waitFor(TIMEOUT);
    });

    it('sees why the button is disabled, and how to fix it', async () => {
      expect(await textOf(page, 'why')).toContain('one click, no extension');
      await visitor.openWallet(page);
      expect(await textOf(page, 'submit')).toBe('Enter an amount');
      await page.getByTestId('size').fill('0');
      expect(await textOf(page, 'why')).toContain('Enter how many dollars, above 0');
      await page.getByTestId('unit').click();
      await page.getByTestId('size').fill('10');
      await nameOwnPrice(page, '120');
      expect(await textOf(page, 'why')).toContain('Enter a price from 0.0001 to 99.9999¢');
      await page.getByTestId('price').fill('90');
      await page.getByTestId('size').fill('5000');
      expect(await textOf(page, 'why')).toMatch(/This takes \$[\d,.]+\./);
      expect(await textOf(page, 'submit')).toBe('You have $1,000.00');
      expect(await page.getByTestId('submit').getAttribute('aria-disabled')).toBe('true');
    });

    it('is shown exactly what POST /orders/validate would answer', async () => {
      await openDetails(page);
      for (const [price, size] of [
        ['57', '700'],
        ['55', '3.5'],
        ['54', '10'],
        ['99', '1100.25'],
      ] as const) {
        await page.getByTestId('price').fill(price);
        await page.getByTestId('size').fill(size);
        const params = { marketId, side: 'buy', price: `${price}c`, size } as const;
        const { wouldMatch } = await place.sandbox.client('asker').previewOrder(params);
        if (wouldMatch === undefined) throw new Error('the order was not tried');
        const { filledSize, remainingSize, averagePrice, worstPrice, cost } = wouldMatch;
        expect(await textOf(page, 'fills')).toBe(
          `${shares(filledSize)} of ${shares(BigInt(filledSize) + BigInt(remainingSize))}`,
        );
        expect(await textOf(page, 'rests')).toBe(shares(remainingSize));
        expect(await textOf(page, 'average')).toBe(BigInt(filledSize) === 0n ? '–' : roundedCents(averagePrice));
        expect(await textOf(page, 'worst')).toBe(BigInt(filledSize) === 0n ? '–' : cents(worstPrice));
        if (BigInt(remainingSize) === 0n) expect(await textOf(page, 'cost')).toBe(money(cost));
      }
    });

    it('buys the best ask in two clicks and sees it signed, accepted, settling and settled', async () => {
      await page.getByTestId('size').fill('10');
      await page.getByTestId('price').fill('20');
      const stages = await recordStages(page);
      await page.getByTestId('ask-0').click();
      expect(await textOf(page, 'submit')).toBe('Buy YES at 55.0¢ or less for $5.51');
      await page.getByTestId('submit').click();
      await page.locator('[data-testid=order-life][data-stage=settled]').waitFor(TIMEOUT);
      expect(await stages()).toEqual(['signing', 'accepted', 'settling', 'settled']);
      expect(await textOf(page, 'order-life')).toMatch(/^Bought 10 YES for \$5\.50 .*Settled, [\d.]+ s/);
      await page.locator('[data-testid=toast][data-tone=ok]').filter({ hasText: 'Settled on chain' }).waitFor(TIMEOUT);
    });

    it('then holds the position, with its profit, and has paid its cost', async () => {
      const row = page.getByTestId('position-YES');
      await row.filter({ hasText: '10' }).waitFor(TIMEOUT);
      await page.getByTestId('wallet').filter({ hasText: '$994.50' }).waitFor(TIMEOUT);
      await place.sandbox.client('maker').placeOrder({ marketId, side: 'buy', price: '55c', size: '265' });
      await place.sandbox.client('taker').placeOrder({ marketId, side: 'buy', price: '56c', size: '1' });
      // Marked at the best bid, not at the last trade.
      await row.getByTestId('profit').filter({ hasText: '$0.00' }).waitFor(TIMEOUT);
      expect((await row.innerText()).replaceAll(/\s+/g, ' ')).toContain('YES 10 55.0¢ 55.0¢ $5.50');
    });

    it('places, finds and cancels an order with the keyboard alone', async () => {
      await page.evaluate('document.activeElement?.blur()');
      await page.keyboard.press('n');
      await page.keyboard.press('y');
      await page.keyboard.press('b');
      await page.keyboard.press('a');
      await page.keyboard.press('Control+a');
      await page.keyboard.type('7');
      await page.getByTestId('price').focus();
      await page.keyboard.press('Control+a');
      await page.keyboard.type('31');
      await page.keyboard.press('ArrowUp');
      await page.keyboard.press('Enter');
      await page.locator('[data-testid=order-life][data-stage=resting]').first().waitFor(TIMEOUT);
      expect(await textOf(page, 'order-life')).toContain('Buy 7 YES at 31.5¢');
      await page.getByTestId('tab-positions').focus();
      await page.keyboard.press('ArrowRight');
      await page.getByTestId('open-orders').getByText('31.5¢').waitFor(TIMEOUT);
      await page.getByTestId('open-orders').locator('[data-row]').first().focus();
      await page.keyboard.press('x');
      await page.getByTestId('open-orders').waitFor({ ...TIMEOUT, state: 'detached' });
      const { count } = await place.sandbox.reader.listOrders(await visitor.openWallet(page));
      expect(count).toBe(0);
    });

    it('moves through the list with j and k, searches with / and opens help with ?', async () => {
      await page.evaluate('document.activeElement?.blur()');
      await page.getByRole('link', { name: 'Markets', exact: true }).first().click();
      await page.getByTestId('market-card').nth(1).waitFor(TIMEOUT);
      await page.keyboard.press('j');
      await page.keyboard.press('j');
      const [first, second] = await page.getByTestId('market-list').locator('[data-row]').all();
      expect(await page.evaluate('document.activeElement.getAttribute("href")')).toBe(
        await second?.getAttribute('href'),
      );
      await page.keyboard.press('k');
      expect(await page.evaluate('document.activeElement.getAttribute("href")')).toBe(
        await first?.getAttribute('href'),
      );
      await page.keyboard.press('?');
      await page.locator('dialog[open]').getByText('place the order, from a field of the ticket').waitFor(TIMEOUT);
      await page.keyboard.press('Escape');
      await page.keyboard.press('/');
      await page.keyboard.type('loved');
      await page
        .getByTestId('market-card')
        .nth(1)
        .waitFor({ ...TIMEOUT, state: 'detached' });
      expect(await page.getByTestId('market-card').count()).toBe(1);
    });

    it('makes no request outside the service and causes no error in the browser console', () => {
      expect(visit.outside).toEqual([]);
      expect(visit.complaints).toEqual([]);
    });
  });
}
