// The page never loses money by itself: one order a press, prices that belong to the outcome, one chance for one market.
/// <reference lib="dom" />
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { percent } from '../../src/lib/format.ts';
import type { Visit } from '../browser.ts';
import { colourOf, nameOwnPrice, openScreen, seeLiveBook, TIMEOUT, textOf } from '../page-actions.ts';
import type { Place, Visitor } from '../place.ts';

export function testMoney(place: Place, visitor: Visitor): void {
  describe('money on the page', () => {
    let visit: Visit;
    let page: Page;
    let marketId: string;
    let address: string;

    beforeAll(async () => {
      marketId = (await place.sandbox.newMarket('Is every press one order?')).id;
      await place.sandbox.quote(marketId);
      visit = await visitor.open(`/m/${marketId}`);
      page = visit.page;
      await seeLiveBook(page);
      address = await visitor.openWallet(page);
    });

    const openOrders = async () => (await place.sandbox.reader.listOrders(address)).count;
    /** A limit far below the book, so that it rests and can be counted. */
    const typeResting = async (dollars = '5') => {
      await nameOwnPrice(page, '20');
      await page.getByTestId('size').fill(dollars);
      await page.locator('[data-testid=submit][data-state=ready]').waitFor(TIMEOUT);
    };
    const emptied = () => page.locator('[data-testid=size][value=""]').waitFor(TIMEOUT);

    it('is typed into a market that stands in the address and stays when another one leads', async () => {
      await openScreen(page, '/');
      const card = page.locator(`[data-market="${marketId}"]`);
      await card.getByRole('link', { name: 'Is every press one order?', exact: true }).click(TIMEOUT);
      await seeLiveBook(page);
      expect(new URL(page.url()).pathname).toBe(`/m/${marketId}`);
      await page.getByTestId('size').fill('12.34');
      const leader = (await place.sandbox.newMarket('Does the leader push others off the screen?')).id;
      await place.sandbox.quote(leader);
      await place.sandbox.client('taker').placeOrder({ marketId: leader, side: 'buy', price: '56c', size: '400' });
      for (let reads = 0; reads < 2; reads++) {
        await page.waitForResponse((answer) => answer.url().includes('/api/v1/markets?'), TIMEOUT);
      }
      expect(await textOf(page, 'market-title')).toBe('Is every press one order?');
      expect(await page.getByTestId('size').inputValue()).toBe('12.34');
    });

    it('is spent once by a double click', async () => {
      await typeResting();
      await page.getByTestId('submit').dblclick();
      await emptied();
      await page.locator('[data-testid=order-life][data-stage=resting]').waitFor(TIMEOUT);
      expect(await textOf(page, 'submit')).toBe('Enter an amount');
      await expect.poll(openOrders).toBe(1);
    });

    it('is spent once by a held Enter, from a field and from the button', async () => {
      for (const [field, count] of [
        ['size', 2],
        ['submit', 3],
      ] as const) {
        await typeResting();
        await page.getByTestId(field).focus();
        for (let repeats = 0; repeats < 6; repeats++) await page.keyboard.down('Enter');
        await page.keyboard.up('Enter');
        await emptied();
        await expect.poll(openOrders).toBe(count);
      }
    });

    it('is not spent by Enter while nothing of the ticket has the focus', async () => {
      await typeResting();
      const before = await openOrders();
      await page.evaluate('document.activeElement?.blur()');
      await page.keyboard.press('Enter');
      await page.getByTestId('tab-orders').focus();
      await page.keyboard.press('Enter');
      expect(await page.getByTestId('size').inputValue()).toBe('5');
      expect(await openOrders()).toBe(before);
    });

    it('is spent once when the answer is lost: the same signed order is sent again', async () => {
      const bodies: string[] = [];
      const before = await openOrders();
      await page.route('**/api/v1/orders', async (route) => {
        if (route.request().method() !== 'POST') return route.continue();
        bodies.push(route.request().postData() ?? '');
        // Accepted by the service, and never answered to the page: more often than the client tries by itself.
        if (bodies.length <= 6) await route.fetch().then(() => route.abort());
        else await route.continue();
      });
      onTestFinished(() => page.unroute('**/api/v1/orders'));
      await typeResting();
      await page.getByTestId('submit').click();
      await page.locator('[data-testid=submit][data-state=connection]').waitFor(TIMEOUT);
      await page.getByTestId('submit').click({ force: true });
      await emptied();
      expect(bodies.length).toBeGreaterThan(6);
      expect(new Set(bodies).size).toBe(1);
      expect(await openOrders()).toBe(before + 1);
    });

    it('is never offered at the price of another outcome or side', async () => {
      await nameOwnPrice(page, '60.5');
      await page.getByTestId('outcome-NO').click();
      await expect.poll(() => page.getByTestId('price').inputValue()).toBe('47.0');
      await page.getByTestId('ticket').getByText('Sell', { exact: true }).click();
      await expect.poll(() => page.getByTestId('price').inputValue()).toBe('45.0');
      await page.getByTestId('ticket').getByText('Buy', { exact: true }).click();
      await page.getByTestId('outcome-YES').click();
      await expect.poll(() => page.getByTestId('price').inputValue()).toBe('55.0');
    });

    it("is not moved by the book's own switch, which changes the view only", async () => {
      await page.getByTestId('size').fill('10');
      const before = await textOf(page, 'submit');
      await page.getByTestId('view-NO').click();
      await page.getByTestId('ask-0').filter({ hasText: '47.0' }).waitFor(TIMEOUT);
      expect(await textOf(page, 'submit')).toBe(before);
      await page.getByTestId('view-YES').click();
      await page.getByTestId('ask-0').filter({ hasText: '55.0' }).waitFor(TIMEOUT);
    });

    it('is never turned into a sale of shares that are not held by a click on a level', async () => {
      await page.getByTestId('bid-0').click();
      await page.getByTestId('size').fill('10');
      expect(await textOf(page, 'submit')).toBe('Bid 53.0¢ for YES, at most $10.00');
      await page.getByTestId('ticket').getByText('Sell', { exact: true }).click();
      await page.getByTestId('size').fill('10');
      expect(await textOf(page, 'submit')).toMatch(/^Sell 10 YES short for at most \$[\d.]+$/);
      await page.getByTestId('ticket').getByText('Buy', { exact: true }).click();
    });

    it('is asked about once more when a limit is more than 5 cents through the mid', async () => {
      const trades = async () => (await place.sandbox.reader.listTrades(marketId)).trades.length;
      const before = await trades();
      await nameOwnPrice(page, '60');
      await page.getByTestId('size').fill('6');
      await page.getByTestId('submit').dblclick();
      await page.locator('[data-testid=submit][data-state=asking]').waitFor(TIMEOUT);
      expect(await textOf(page, 'submit')).toBe('Yes, buy YES at 60.0¢ or less for $6.00');
      expect(await textOf(page, 'why')).toBe('The mid is 54.0¢. At 60.0¢ you can pay $0.60 more.');
      expect(await trades()).toBe(before);
      await nameOwnPrice(page, '59');
      expect(await page.getByTestId('submit').getAttribute('data-state')).toBe('ready');
      await nameOwnPrice(page, '60');
      await page.getByTestId('submit').click();
      await page.locator('[data-testid=submit][data-state=asking]').waitFor(TIMEOUT);
      // Long enough to have read the question.
      await expect
        .poll(async () => {
          // Without waiting for it to be enabled: after the order it is not.
          await page.getByTestId('submit').click({ force: true });
          return page.getByTestId('size').inputValue();
        })
        .toBe('');
      await expect.poll(trades, { timeout: 120_000 }).toBe(before + 1);
    });

    it('is coloured by its sign: a gain on NO is never red, a loss on YES is never green', async () => {
      const [good, bad] = [await colourOf(page, '--good'), await colourOf(page, '--bad')];
      const paint = (testId: string) =>
        page
          .getByTestId(testId)
          .first()
          .evaluate((element) => getComputedStyle(element as never).color);
      await page.getByTestId('outcome-NO').click();
      await page.getByTestId('size').fill('10');
      expect(await textOf(page, 'win-profit')).toMatch(/^\+\$/);
      expect(await paint('win-profit')).toBe(good);
      expect(await paint('lose-profit')).toBe(bad);
      await page.getByTestId('tab-positions').click();
      const profit = page.getByTestId('position-YES').getByTestId('profit').locator('.change');
      await profit.filter({ hasText: '−$' }).waitFor(TIMEOUT);
      expect(await profit.evaluate((element) => getComputedStyle(element as never).color)).toBe(bad);
      await page.getByTestId('outcome-YES').click();
    });

    it('sees one chance for one market, on the card, in the head, in the title and in the chart', async () => {
      const thin = (await place.sandbox.newMarket('Is a trade of NO at 30 cents a chance of 70 percent?')).id;
      await place.sandbox.quote(thin, [{ outcome: 'NO', side: 'sell', price: '30c', size: '10' }]);
      await place.sandbox
        .client('taker')
        .placeOrder({ marketId: thin, side: 'buy', outcome: 'NO', price: '30c', size: '10' });
      for (const id of [thin, marketId]) {
        await openScreen(page, `/m/${id}`);
        const expected = async () => percent((await place.sandbox.reader.getMarket(id)).chance ?? 0);
        await page.getByTestId('chance').filter({ hasText: '%' }).waitFor(TIMEOUT);
        expect(await textOf(page, 'chance')).toBe(id === thin ? '70%' : await expected());
        expect(await textOf(page, 'chance')).toBe(await expected());
        expect(await page.title()).toContain(await expected());
        await page.locator('[data-testid=price-chart][data-state=ready]').waitFor(TIMEOUT);
        expect(await page.getByTestId('price-chart').getAttribute('aria-label')).toContain(`now ${await expected()}.`);
        await page.getByRole('link', { name: 'Markets', exact: true }).first().click();
        const card = page.locator(`[data-market="${id}"]`).getByTestId('card-chance');
        await expect.poll(() => card.innerText()).toBe(await expected());
      }
    });

    it('caused no error in the browser console but the lost answers', () => {
      expect(visit.complaints.filter((text) => !text.includes('ERR_FAILED'))).toEqual([]);
    });
  });
}
