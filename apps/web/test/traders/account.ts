// Profit on the page is the account's truth: equal to the service's figures, and a lost market shows its loss and is no longer open; and a part that cannot be read says so while the rest works.
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { money, signedMoney } from '../../src/lib/format.ts';
import { openScreen, seeLiveBook, TIMEOUT, textOf } from '../page-actions.ts';
import type { Place, Visitor } from '../place.ts';
import { LASTING_QUESTION } from './trade.ts';

const MARKET_SECONDS = 3_600;
const DISPUTE_SECONDS = 7_200;
/** The keeper gives others half a minute after the window. */
const KEEPER_SECONDS = 31;

export function testAccount(place: Place, visitor: Visitor): void {
  describe('the account on the page', () => {
    let page: Page;
    let marketId: string;
    let address: string;
    let chain_id: number;

    beforeAll(async () => {
      chain_id = (await place.sandbox.reader.getConfig()).chains[0]?.chainId ?? 0;
      marketId = (await place.sandbox.newMarket('Is a loss shown as a loss?', MARKET_SECONDS)).id;
      await place.sandbox.quote(marketId);
      const client = await visitor.bringWallet();
      address = client.address;
      await (await client.placeOrder({ marketId, side: 'buy', price: '55c', size: '100' })).waitForSettlement();
      ({ page } = await visitor.open(`/m/${marketId}`));
    });

    const shown = (amount: number | bigint) => (BigInt(amount) === 0n ? money(0) : signedMoney(amount));

    /** Every figure on top of the portfolio beside what the service says at the same time. */
    const expectTruth = async () => {
      const standing = await place.sandbox.reader.getUserStatistics(address);
      const { balance } = await place.sandbox.reader.getBalances(address, { chain_id });
      const { points } = await place.sandbox.reader.getPnlHistory(address, { chain_id });
      await page
        .getByTestId('equity')
        .filter({ hasText: money(BigInt(balance) + BigInt(standing.position_value)) })
        .waitFor(TIMEOUT);
      expect(await textOf(page, 'realized')).toBe(shown(standing.realized_pnl));
      expect(await textOf(page, 'unrealized')).toBe(shown(standing.unrealized_pnl));
      expect(await textOf(page, 'total-profit')).toContain(shown(standing.pnl));
      expect(points.at(-1)?.pnl).toBe(standing.pnl);
      return standing;
    };

    it('marks what it holds at the best bid, not at its own last trade', async () => {
      await page.getByRole('link', { name: 'Portfolio' }).first().click();
      const { unrealized_pnl } = await expectTruth();
      // 100 bought at 55, and 53 is bid.
      expect(unrealized_pnl).toBe(-2_000_000);
      expect(await textOf(page, 'open-profit')).toBe('−$2.00');
      const tone = page.getByTestId('open-profit').locator('.change');
      expect(await tone.getAttribute('class')).toContain('no');
    });

    it('stops all its orders on the chain after a second question, and resumes', async () => {
      await openScreen(page, `/m/${marketId}`);
      await seeLiveBook(page);
      const settlement = async () => (await place.sandbox.reader.getApprovals(address, { chain_id })).settlement;
      await page.getByTestId('wallet').click();
      await page.getByTestId('stop-on-chain').click(TIMEOUT);
      await page.getByTestId('confirm-stop').getByText('only this wallet can undo it').waitFor(TIMEOUT);
      expect((await settlement()).haltEffectiveAfter).toBeNull();
      await page.getByTestId('confirm').click();
      await page.getByTestId('stopped-on-chain').waitFor(TIMEOUT);
      expect((await settlement()).haltEffectiveAfter).toBeGreaterThan(0);
      await page.keyboard.press('Escape');
      await page.getByTestId('size').fill('5');
      await page.locator('[data-testid=submit][data-state=ready]').waitFor(TIMEOUT);
      await page.getByTestId('submit').click();
      await page.getByText('has stopped all its orders on chain').first().waitFor(TIMEOUT);
      await page.getByTestId('wallet').click();
      await page.getByTestId('resume').click(TIMEOUT);
      await page.getByTestId('stop-on-chain').waitFor(TIMEOUT);
      expect((await settlement()).haltEffectiveAfter).toBeNull();
      await page.keyboard.press('Escape');
      await page.getByRole('link', { name: 'Portfolio' }).first().click();
    });

    it('shows a lost market with its loss among the closed ones, and no longer among the open ones', async () => {
      const oracle = place.sandbox.client('proposer');
      await place.sandbox.controls.advanceTime(MARKET_SECONDS);
      await oracle.proposeResolution(marketId, 'NO');
      await place.sandbox.reader.getResolution(marketId);
      await place.sandbox.controls.advanceTime(DISPUTE_SECONDS + KEEPER_SECONDS);
      // The keeper settles what nobody disputed.
      await page.getByTestId('tab-closed').click();
      const lost = page.locator('[data-testid=closed-position][data-result=lost]');
      await lost.waitFor({ timeout: 120_000 });
      expect((await lost.getByTestId('profit').innerText()).trim()).toBe('−$55.00');
      expect(await lost.getByTestId('profit').locator('.change').getAttribute('class')).toContain('no');
      await page.getByTestId('tab-open').click();
      expect(await page.getByTestId('open-position').count()).toBe(0);
      const { realized_pnl } = await expectTruth();
      expect(realized_pnl).toBe(-55_000_000);
    });

    it('gives the verdict on the market itself, without a button that pays nothing', async () => {
      await openScreen(page, `/m/${marketId}`);
      await page.getByTestId('verdict').filter({ hasText: 'NO won' }).waitFor(TIMEOUT);
      await page.getByText('NO won. Your 100 YES pay nothing.').waitFor(TIMEOUT);
      expect(await textOf(page, 'claim-profit')).toBe('−$55.00');
      expect(await page.getByTestId('redeem').count()).toBe(0);
    });

    it('shows which part failed and by which request, while the rest of the page works', async () => {
      await openScreen(page, `/m/0x${'00'.repeat(32)}`);
      const failed = page.locator('.failed[data-state=error]');
      await failed.getByText(/^Request [0-9a-f-]{36}$/).waitFor(TIMEOUT);
      expect(await failed.innerText()).toMatch(/The market could not be read.*Request [0-9a-f-]{36}.*Try again/s);
      await page.getByRole('link', { name: 'Markets', exact: true }).first().click();
      await page.getByTestId('market-list').getByText(LASTING_QUESTION).click(TIMEOUT);
      await seeLiveBook(page);
    });
  });
}
