// A market that charges takers, on the page: the ticket names the fee within the button's promise, and the operator sees the revenue.
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { money } from '../../src/lib/format.ts';
import type { Visit } from '../browser.ts';
import { readButton } from '../button-figures.ts';
import { openDetails, openScreen, seeLiveBook, TIMEOUT, textOf } from '../page-actions.ts';
import type { Place, Visitor } from '../place.ts';

const QUESTION = 'Is the fee in the price?';
/** 2 % of 10 shares at 0.4 x 0.6, of which a quarter is the maker's. */
const FEE = 48_000n;
const REVENUE = 36_000n;
const COST = 4_000_000n;

export function testFees(place: Place, visitor: Visitor): void {
  describe("a taker's fee", () => {
    let visit: Visit;
    let page: Page;
    let marketId: string;
    let address: string;
    /** Complaints of the same visit before this. */
    let earlier = 0;

    beforeAll(async () => {
      const { sandbox } = place;
      const rates = { feeRateBps: 200, makerShareBps: 2_500 };
      marketId = (await sandbox.controls.createMarket({ question: QUESTION, expiresIn: 30 * 86_400, ...rates })).id;
      await sandbox.quote(marketId, [{ side: 'sell', price: '40c', size: '300' }]);
      visit = await visitor.open(`/m/${marketId}`);
      page = visit.page;
      earlier = visit.complaints.length;
      await seeLiveBook(page);
      address = await visitor.openWallet(page);
    });

    const balance = async () => {
      const chain_id = (await place.sandbox.reader.getConfig()).chains[0]!.chainId;
      return BigInt((await place.sandbox.reader.getBalances(address, { chain_id })).balance);
    };

    it('is named on the ticket, in what one pays and within what the button says', async () => {
      await page.getByTestId('unit').click();
      await page.getByTestId('size').fill('10');
      await page.locator('[data-testid=submit][data-state=ready]').waitFor(TIMEOUT);
      expect(await textOf(page, 'expected')).toBe(`10 shares for ${money(COST + FEE)}, fee ${money(FEE)}`);
      await openDetails(page);
      expect(await textOf(page, 'cost')).toBe(money(COST + FEE));
      expect(await textOf(page, 'fee')).toBe(money(FEE));
      const said = readButton(await textOf(page, 'submit'));
      const before = await balance();
      await page.getByTestId('submit').click();
      await page.locator('[data-testid=order-life][data-stage=settled]').first().waitFor(TIMEOUT);
      await expect.poll(async () => before - (await balance()), TIMEOUT).toBe(COST + FEE);
      expect(COST + FEE, said.text).toBeLessThanOrEqual(said.dollars ?? 0n);
    });

    it("stands in the operator's revenue, less the maker's part, and in its file", async () => {
      await openScreen(page, '/operator');
      const line = page.getByTestId('revenue').locator('li').filter({ hasText: QUESTION });
      await line.getByText(money(REVENUE), { exact: true }).waitFor(TIMEOUT);
      await line.getByText(`1 trades, ${money(FEE - REVENUE)} to makers`).waitFor(TIMEOUT);
      const download = page.waitForEvent('download', TIMEOUT);
      await page.getByTestId('revenue-csv').click();
      const stream = await (await download).createReadStream();
      let text = '';
      for await (const chunk of stream) text += String(chunk);
      expect(text).toContain(`${marketId},${QUESTION},1,4,0.048,0.012,0.036,0.036`);
    });

    it('caused no error in the browser console', () => {
      expect(visit.complaints.slice(earlier)).toEqual([]);
    });
  });
}
