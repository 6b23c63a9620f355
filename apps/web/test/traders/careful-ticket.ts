// The ticket under clumsy hands: dollars typed as cents, more typed than the book has, and an order of one's own in the way.
import type { TradingClient } from '@presage/sdk';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Visit } from '../browser.ts';
import { nameOwnPrice, openScreen, TIMEOUT, textOf } from '../page-actions.ts';
import { type Place, Visitor } from '../place.ts';
import type { Quote } from '../web-sandbox.ts';

const TWO_SIDED: readonly Quote[] = [
  { side: 'sell', price: '55c', size: '100' },
  { side: 'buy', price: '53c', size: '100' },
];

export function testCarefulTicket(place: Place): void {
  describe('a careful ticket', () => {
    const visitor = new Visitor(place);
    let trader: TradingClient;
    let visit: Visit;
    let page: Page;
    let marketId: string;

    beforeAll(async () => {
      trader = await visitor.bringWallet();
      marketId = (await place.sandbox.newMarket('Does a slip cost nothing?')).id;
      visit = await visitor.open(`/m/${marketId}`);
      page = visit.page;
      await visitor.openWallet(page);
    });
    afterAll(() => visit?.close());

    const openMarket = async (quotes: readonly Quote[], pairs?: string) => {
      marketId = (await place.sandbox.newMarket('Does a slip cost nothing?')).id;
      await place.sandbox.quote(marketId, quotes, 'careful maker');
      if (pairs !== undefined) await (await trader.split(marketId, pairs)).wait();
      await openScreen(page, `/m/${marketId}`);
      await page.locator('[data-testid=book][data-state=ready]').waitFor(TIMEOUT);
    };
    const choose = (text: string) => page.getByTestId('ticket').getByText(text, { exact: true }).click();
    const sell = async (pairs: string, price: string) => {
      await openMarket(TWO_SIDED, pairs);
      await choose('Sell');
      await page.getByTestId('ticket').getByText(`You hold ${pairs}`, { exact: true }).waitFor(TIMEOUT);
      await nameOwnPrice(page, price);
      await page.getByTestId('size').fill(pairs);
      await page.locator('[data-testid=submit][data-state=ready]').waitFor(TIMEOUT);
    };
    const asked = async () => {
      await page.getByTestId('submit').click();
      await page.locator('[data-testid=submit][data-state=asking]').waitFor(TIMEOUT);
      return { button: await textOf(page, 'submit'), why: await textOf(page, 'why') };
    };
    const shortBook = () => textOf(page, 'short-book');

    it('asks before a sale at a price typed in dollars, names the loss, and sells nothing meanwhile', async () => {
      await sell('65', '0.75');
      expect(await asked()).toEqual({
        button: 'Yes, sell 65 YES at 0.75¢ or more',
        why: '0.75¢ is less than one cent. If you mean 75.0¢, type 75.0. The mid is 54.0¢. At 0.75¢ you can get $34.61 less.',
      });
      expect((await place.sandbox.reader.listTrades(marketId)).trades).toHaveLength(0);
    });

    it('asks from 5 cents or a tenth through the mid on, for sales as for buys', async () => {
      await sell('50', '48.9');
      expect(await asked()).toEqual({
        button: 'Yes, sell 50 YES at 48.9¢ or more',
        why: 'The mid is 54.0¢. At 48.9¢ you can get $2.55 less.',
      });
      await nameOwnPrice(page, '49');
      expect(await page.getByTestId('submit').getAttribute('data-state')).toBe('ready');
      await choose('Buy');
      await nameOwnPrice(page, '59.1');
      await page.getByTestId('size').fill('20');
      expect((await asked()).why).toMatch(/^The mid is 54\.0¢\. At 59\.1¢ you can pay \$1\.72 more\.$/);
    });

    it('says that the book is short, and takes deeper prices, rests the remainder or reduces', async () => {
      await openMarket([
        { side: 'sell', price: '40c', size: '50' },
        { side: 'sell', price: '50c', size: '500' },
        { side: 'buy', price: '38c', size: '100' },
      ]);
      const type = () => page.getByTestId('size').fill('100');
      await type();
      await page.getByTestId('short-book').waitFor(TIMEOUT);
      expect(await shortBook()).toMatch(/^Only \$20\.00 of your \$100 fills at 40\.5¢ or less\./);
      expect(await textOf(page, 'submit')).toBe('Buy YES for $20.26');
      await page.getByTestId('reduce').click();
      expect(await page.getByTestId('size').inputValue()).toBe('20.26');
      await page.getByTestId('short-book').waitFor({ ...TIMEOUT, state: 'detached' });
      await type();
      expect(await textOf(page, 'take-deeper')).toBe('Take deeper prices, 47.5¢ on average');
      await page.getByTestId('take-deeper').click();
      await page.getByTestId('short-book').waitFor({ ...TIMEOUT, state: 'detached' });
      expect(await textOf(page, 'submit')).toBe('Buy YES for $100.00');
      expect(await textOf(page, 'expected')).toBe('199.98 shares for $94.99');
      await choose('Sell');
      await choose('Buy');
      await type();
      await page.getByTestId('rest-remainder').click();
      expect(await page.getByTestId('price').inputValue()).toBe('40.5');
      expect(await textOf(page, 'submit')).toBe('Buy YES at 40.5¢ or less for $100.00');
    });

    it('sells all of a position by its button, or says why not', async () => {
      await openMarket([{ side: 'buy', price: '53c', size: '20' }], '60');
      await openScreen(page, '/portfolio');
      await page.getByTestId('open-position').first().waitFor(TIMEOUT);
      await page.locator(`a[href="/m/${marketId}?sell=yes"]`).first().click(TIMEOUT);
      await expect.poll(() => page.getByTestId('size').inputValue(), TIMEOUT).toBe('60');
      await page.getByTestId('short-book').waitFor(TIMEOUT);
      expect(await shortBook()).toMatch(/^Only 20 of 60 shares fill at 52\.47¢ or more\./);
      expect(await textOf(page, 'reduce')).toBe('Reduce to 20');
    });

    it('values a position at what its bids pay, on the market and in the portfolio', async () => {
      await openMarket(
        [
          { side: 'buy', price: '35c', size: '5' },
          { side: 'buy', price: '1c', size: '200' },
        ],
        '276',
      );
      const values = async (row: string) =>
        (await page.getByTestId(row).getByTestId('value').allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' '));
      await expect.poll(() => values('position-YES'), TIMEOUT).toEqual(['$3.75 bids for 205 only']);
      expect(await values('position-NO')).toEqual(['$0.00 no bids']);
      await openScreen(page, '/portfolio');
      const rows = page.getByTestId('open-position').filter({ has: page.locator(`a[href="/m/${marketId}"]`) });
      await rows.first().waitFor(TIMEOUT);
      const shown = await rows.getByTestId('value').allInnerTexts();
      expect(shown.map((text) => text.replaceAll(/\s+/g, ' '))).toEqual(['$3.75 bids for 205 only', '$0.00 no bids']);
    });

    it('shows figures that add up, and a percentage of the money put in', async () => {
      const amount = async (testId: string) =>
        Math.round(100 * Number((await textOf(page, testId)).replace('−', '-').replaceAll(/[^\d.-]/g, '')));
      const sum = async (testIds: readonly string[]) => {
        const parts = await Promise.all(testIds.map(amount));
        return parts.reduce((total, part) => total + part, 0);
      };
      expect(await sum(['available', 'in-positions', 'to-redeem', 'reserved'])).toBe(await amount('equity'));
      const [, profit, percentage] = /([−+]\$[\d,.]+) \(([−+][\d.]+)%\)/.exec(await textOf(page, 'total-profit')) ?? [];
      const cents = (text = '') => Math.round(100 * Number(text.replace('−', '-').replaceAll(/[$,+]/g, '')));
      expect(await sum(['realized', 'unrealized'])).toBe(cents(profit));
      const paidIn = (await amount('equity')) - cents(profit);
      expect(cents(percentage)).toBeCloseTo((10_000 * cents(profit)) / paidIn, -1.2);
      const values = page.getByTestId('portfolio-positions').getByTestId('value');
      const shown = (await values.allInnerTexts()).map((text) => cents(text.split(/\s/)[0]));
      expect(shown.reduce((total, value) => total + value, 0)).toBe(await amount('in-positions'));
    });

    it('shows the last known holdings with their age while the chain is away, also after a reload', async () => {
      const before = await textOf(page, 'equity');
      await place.sandbox.controls.setFaults({ chain: 'down' });
      try {
        await page.reload();
        await page.getByTestId('chain-away').waitFor(TIMEOUT);
        expect(await textOf(page, 'chain-away')).toMatch(
          /^The chain cannot be reached\. Cash and payouts as of \d\d:\d\d UTC, (just now|\d+ min ago)\.$/,
        );
        expect(await textOf(page, 'equity')).toBe(before);
        expect(await page.locator('main').innerText()).not.toMatch(/fetch|ECONN|HTTP|RPC|socket/i);
      } finally {
        await place.sandbox.controls.setFaults({ chain: 'up' });
      }
      await page.getByTestId('chain-away').waitFor({ ...TIMEOUT, state: 'detached' });
    });

    it('leaves an order of its own out of the preview, and says that it is cancelled', async () => {
      await openMarket([{ side: 'sell', price: '58c', size: '100' }], '30');
      await trader.placeOrder({ marketId, side: 'sell', price: '55c', size: '30' });
      await page.getByTestId('own').filter({ hasText: '30 yours' }).waitFor(TIMEOUT);
      await page.getByTestId('outcome-YES').filter({ hasText: '58.0¢' }).waitFor(TIMEOUT);
      await page.getByTestId('unit').click();
      await page.getByTestId('size').fill('10');
      await page.locator('[data-testid=submit][data-state=ready]').waitFor(TIMEOUT);
      expect(await textOf(page, 'expected')).toBe('10 shares for $5.80');
      expect(await textOf(page, 'own-note')).toBe('Your own ask of 30 at 55.0¢ is left out: this order cancels it.');
      await page.getByTestId('submit').click();
      await page.locator('[data-testid=order-life][data-stage=settled]').first().waitFor(TIMEOUT);
      expect(await textOf(page, 'order-life')).toMatch(/^Bought 10 YES for \$5\.80/);
      const open = async () => (await place.sandbox.reader.listOrders(trader.address)).count;
      await expect.poll(open, TIMEOUT).toBe(0);
    });

    it('keeps notices of what happened over a reload, unread until they were looked at', async () => {
      await page.getByTestId('bell').filter({ hasText: /\d/ }).waitFor(TIMEOUT);
      await page.reload();
      await page.getByTestId('bell').filter({ hasText: /\d/ }).click(TIMEOUT);
      const notice = page.getByTestId('notice').filter({ hasText: 'Bought 10 YES for $5.80' });
      await notice.first().waitFor(TIMEOUT);
      expect(await notice.first().getAttribute('data-read')).toBe('false');
      await page.keyboard.press('Escape');
      await page.getByTestId('bell').filter({ hasText: 'none unread' }).waitFor(TIMEOUT);
    });

    it('says so after a reload in the middle of a submission', async () => {
      await openMarket(TWO_SIDED);
      await page.getByTestId('size').fill('5');
      await page.locator('[data-testid=submit][data-state=ready]').waitFor(TIMEOUT);
      await page.route('**/api/v1/orders', (route) =>
        route.request().method() === 'POST' ? undefined : route.continue(),
      );
      await page.getByTestId('submit').click();
      await page.locator('[data-testid=submit][data-state=answer]').waitFor(TIMEOUT);
      // Held back until the page is another: a request that is let go would be answered before.
      await page.reload();
      await page.getByTestId('toast').filter({ hasText: 'It was placed once or not at all' }).waitFor(TIMEOUT);
      await page.unroute('**/api/v1/orders');
      await page.locator('[data-testid=book][data-state=ready]').waitFor(TIMEOUT);
    });

    it('has Market and Limit at its top, and the price before the amount and the button in the order of Tab', async () => {
      await openMarket(TWO_SIDED);
      await choose('Limit');
      const order =
        await page.evaluate(`[...document.querySelectorAll('[data-testid=ticket] input, [data-testid=ticket] button')]
        .map((each) => each.dataset.testid ?? each.value).filter((name) => ['now', 'limit', 'YES', 'price', 'size', 'submit'].includes(name))`);
      expect(order).toEqual(['now', 'limit', 'YES', 'price', 'size', 'submit']);
    });

    it('caused no error in the browser console', () => {
      expect(visit.complaints).toEqual([]);
    });
  });
}
