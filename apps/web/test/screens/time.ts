// The page over time: a quick market that rolls over, a market that is resolved and redeemed, a service that is killed and restarts.
import { execFileSync } from 'node:child_process';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { money } from '../../src/lib/format.ts';
import { openScreen, seeLiveBook, TIMEOUT, textOf } from '../page-actions.ts';
import type { Place } from '../place.ts';
import type { Scene } from './scene.ts';

const QUESTION = 'Will it be YES in the end?';
const WINDOW_SECONDS = 900;
const MARKET_SECONDS = 3_600;
const DISPUTE_SECONDS = 7_200;

export function testTime(place: Place, scene: () => Scene): void {
  describe('a page that stays open', () => {
    let page: Page;
    let marketId: string;
    /** What the wallet could spend before it bought. */
    let before: bigint;

    beforeAll(async () => {
      const { address, client, chainId: chain_id } = scene();
      before = BigInt((await place.sandbox.reader.getBalances(address, { chain_id })).available);
      marketId = (await place.sandbox.newMarket(QUESTION, MARKET_SECONDS)).id;
      await place.sandbox.quote(marketId);
      const bought = await client.placeOrder({ marketId, side: 'buy', price: '55c', size: '10' });
      await bought.waitForSettlement();
      // A second winner, who does not redeem.
      await place.sandbox.client('taker').placeOrder({ marketId, side: 'buy', price: '55c', size: '5' });
      ({ page } = scene().visit);
      await page.setViewportSize({ width: 1440, height: 900 });
      await openScreen(page, `/m/${marketId}`);
      // A page load would clear it.
      await page.evaluate('window.isFirstLoad = true');
      await page.getByTestId('market-title').filter({ hasText: QUESTION }).waitFor(TIMEOUT);
      await seeLiveBook(page);
      await page.getByTestId('position-YES').filter({ hasText: '10' }).waitFor(TIMEOUT);
    });

    /** Ten shares at 55 cents of the side that wins at the pinned price: four by an order that rests, six by one that takes. */
    const buyWinner = async (quickId: string) => {
      const { quickMarket } = await place.sandbox.reader.getQuickMarket('BTC');
      const outcome = Number(quickMarket?.startPrice) / 1e8 <= 100_000 ? 'YES' : 'NO';
      const order = { marketId: quickId, outcome, side: 'buy', price: '55c', size: '4' } as const;
      await scene().client.placeOrder(order);
      const name = outcome === 'YES' ? 'Up' : 'Down';
      // The page tells of a fill of what it knew to rest.
      await page.getByTestId('tab-orders').click(TIMEOUT);
      await page.getByRole('button', { name: `Cancel Buy ${name} at 55.0¢` }).waitFor(TIMEOUT);
      await place.sandbox.quote(quickId, [{ outcome, side: 'sell', price: '55c', size: '10' }], 'quick maker');
      await page
        .getByTestId('toast')
        .filter({ hasText: `Bought 4 ${name} at 55.0¢` })
        .waitFor(TIMEOUT);
      await (await scene().client.placeOrder({ ...order, size: '6' })).waitForSettlement();
      before += 10_000_000n - 5_500_000n;
    };

    it('shows the price to beat, the live price with its difference, and the time left of a quick market', async () => {
      await place.sandbox.controls.pinPrice('BTC', 100_000);
      await page.getByRole('link', { name: 'Quick' }).click();
      await page.getByTestId('strike').waitFor(TIMEOUT);
      const { quickMarket } = await place.sandbox.reader.getQuickMarket('BTC');
      const strike = Number(quickMarket?.startPrice) / 1e8;
      const dollars = (value: number) =>
        value.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
      expect(await textOf(page, 'strike')).toBe(`$${dollars(strike)}`);
      await page.getByTestId('spot').filter({ hasText: '$100,000.00' }).waitFor(TIMEOUT);
      const sign = strike <= 100_000 ? '+' : '−';
      expect(await textOf(page, 'difference')).toContain(`${sign}$${dollars(Math.abs(100_000 - strike))}`);
      expect(await textOf(page, 'countdown')).toMatch(/^\d\d?:\d\d (left|last minute)$/);
      expect(await textOf(page, 'feed-age')).toContain('pyth, simulated');
      // The price to beat is in the chart, however far the price has gone.
      await page.locator('[data-testid=quick-chart][data-state=ready] [data-testid=chart-strike]').waitFor(TIMEOUT);
    });

    it('switches to the next window automatically, with the result of the last one', async () => {
      await page.getByTestId('outcome-NO').click();
      await page.getByTestId('size').fill('12.5');
      const main = page.locator('main[data-screen=quick]');
      const window = await main.getAttribute('data-window');
      await buyWinner(window ?? '');
      const { now } = await place.sandbox.reader.getTime();
      await place.sandbox.controls.advanceTime(WINDOW_SECONDS - (now % WINDOW_SECONDS) + 3);
      await page.locator(`main[data-window]:not([data-window="${window}"])`).waitFor(TIMEOUT);
      expect(await textOf(page, 'strike')).toBe('$100,000.00');
      await page
        .getByTestId('results')
        .getByText(/Up|Down/)
        .first()
        .waitFor(TIMEOUT);
      expect(await page.evaluate('window.isFirstLoad')).toBe(true);
    });

    it('says what was won, counts it beside the portfolio, and claims it', async () => {
      await page.getByTestId('quick-claim').getByText('You won $10.00').waitFor({ timeout: 90_000 });
      await page.getByTestId('bell').click(TIMEOUT);
      await page.getByTestId('notice').filter({ hasText: 'You won $10.00' }).waitFor(TIMEOUT);
      await page.keyboard.press('Escape');
      // Nobody has a yesterday in fifteen minutes.
      expect(await page.locator('main').innerText()).not.toContain('today');
      // This one, and the market that was decided before.
      await page.getByTestId('to-claim').first().filter({ hasText: '2' }).waitFor(TIMEOUT);
      await page.getByTestId('quick-redeem').filter({ hasText: 'Redeem $10.00' }).click();
      await page.getByTestId('quick-claim').waitFor({ ...TIMEOUT, state: 'detached' });
      await page.getByTestId('to-claim').first().filter({ hasText: '1' }).waitFor(TIMEOUT);
    });

    it('keeps the amount for the next window, and asks anew which way', async () => {
      await page.getByTestId('submit').filter({ hasText: 'Pick Up or Down' }).waitFor(TIMEOUT);
      expect(await textOf(page, 'why')).toBe('New window, new price to beat.');
      expect(await page.getByTestId('size').inputValue()).toBe('12.5');
      expect(
        await page.getByTestId('ticket').locator('input[value=YES]:checked, input[value=NO]:checked').count(),
      ).toBe(0);
      await page.getByTestId('outcome-YES').click();
      expect(await textOf(page, 'submit')).not.toContain('Pick');
    });

    it('turns stale when the service is killed, and recovers when it is back', async () => {
      await page.getByRole('link', { name: 'Markets' }).first().click();
      await page
        .locator(`[data-market="${marketId}"]`)
        .getByRole('link', { name: QUESTION, exact: true })
        .click(TIMEOUT);
      await seeLiveBook(page);
      process.kill(servicePid(place.sandbox.process.pid), 'SIGKILL');
      await page.locator('[data-testid=conn][data-state=stale]').waitFor({ timeout: 120_000 });
      await page.locator('[data-testid=book-panel][data-state=stale]').waitFor(TIMEOUT);
      expect(await textOf(page, 'why')).toContain('Reconnecting');
      expect(await page.getByTestId('submit').getAttribute('aria-disabled')).toBe('true');
      await page.locator('[data-testid=conn][data-state=live]').waitFor(TIMEOUT);
      await page.locator('[data-testid=book-panel][data-state=live]').waitFor(TIMEOUT);
      await place.sandbox.quote(marketId, [{ side: 'buy', price: '53.9c', size: '20' }]);
      await page.getByTestId('bid-0').filter({ hasText: '53.9' }).waitFor(TIMEOUT);
      expect(await page.evaluate('window.isFirstLoad')).toBe(true);
    });

    it('turns stale when the service stops sending without closing the connection', async () => {
      const pid = servicePid(place.sandbox.process.pid);
      process.kill(pid, 'SIGSTOP');
      try {
        await page.locator('[data-testid=conn][data-state=stale]').waitFor({ timeout: 120_000 });
      } finally {
        process.kill(pid, 'SIGCONT');
      }
      await page.locator('[data-testid=conn][data-state=live]').waitFor(TIMEOUT);
    });

    it('follows a market from its close through the proposal and the dispute window to its outcome', async () => {
      const state = (name: string) => page.locator(`[data-testid=resolution][data-state=${name}]`).waitFor(TIMEOUT);
      await state('open');
      await place.sandbox.controls.advanceTime(MARKET_SECONDS);
      await state('expired');
      await page.locator('[data-testid=ticket][data-state=closed]').waitFor(TIMEOUT);
      // What can no longer be done is no longer offered.
      await page.getByTestId('position-YES').waitFor(TIMEOUT);
      await page.getByRole('button', { name: 'Sell YES' }).waitFor({ ...TIMEOUT, state: 'detached' });
      expect(await textOf(page, 'book-panel')).not.toContain('can be the first');
      const propose = page.getByTestId('propose-YES');
      await propose.waitFor(TIMEOUT);
      const [panel, button] = [await page.locator('.road-panel').boundingBox(), await propose.boundingBox()];
      expect((button?.x ?? 0) - (panel?.x ?? 0)).toBeGreaterThanOrEqual(12);
      expect((panel?.y ?? 0) + (panel?.height ?? 0) - (button?.y ?? 0) - (button?.height ?? 0)).toBeGreaterThanOrEqual(
        12,
      );
      await propose.click(TIMEOUT);
      // Nothing is sent before the bond was named and agreed to.
      await page.getByTestId('bond').filter({ hasText: '$' }).waitFor(TIMEOUT);
      await page.getByTestId('confirm').click(TIMEOUT);
      await state('proposed');
      // Messages have a strip of their own: the screen ends above it.
      await page.getByTestId('toast').first().waitFor(TIMEOUT);
      const [screen, strip] = [
        await page.locator('main').boundingBox(),
        await page.getByTestId('toasts').boundingBox(),
      ];
      expect((screen?.y ?? 0) + (screen?.height ?? 0)).toBeLessThanOrEqual(Math.ceil(strip?.y ?? 0));
      await page
        .getByTestId('timeline')
        .getByText(/Proposed YES by 0x/)
        .waitFor(TIMEOUT);
      expect(await textOf(page, 'resolution-sentence')).toMatch(/^You can redeem after .*\d\d:\d\d UTC/);
      await place.sandbox.controls.advanceTime(DISPUTE_SECONDS + 1);
      await page.getByTestId('settle').click(TIMEOUT);
      await state('resolved');
      expect(await textOf(page, 'resolution-sentence')).toContain('YES won');
    });

    it('redeems everything with one button and without gas', async () => {
      await page.getByRole('link', { name: 'Portfolio' }).click();
      // The payout is of this market and of the one that was decided before.
      const { yesShares } = await place.sandbox.reader.getPosition(scene().decidedId, scene().address);
      const payout = 10_000_000n + BigInt(yesShares);
      await page
        .getByTestId('redeem-all')
        .filter({ hasText: `Redeem all ${money(payout)} (no gas)` })
        .click(TIMEOUT);
      await page
        .getByTestId('redeem-note')
        .filter({ hasText: `${money(payout)} paid out, without gas` })
        .waitFor(TIMEOUT);
      await page
        .getByTestId('available')
        .filter({ hasText: money(before - 5_500_000n + payout) })
        .waitFor(TIMEOUT);
      await page.getByTestId('tab-history').click();
      await page.getByTestId('history').getByText('Redeemed').nth(1).waitFor(TIMEOUT);
      await page.getByTestId('redeem-all').waitFor({ ...TIMEOUT, state: 'detached' });
      expect(await ether(place.sandbox.process.rpcUrl, scene().address)).toBe(0n);
    });

    it('counts while the proof loads, and explains the shares that a redemption left', async () => {
      await page.getByRole('link', { name: 'Proof' }).click();
      await page.getByTestId('left-shares').filter({ hasText: 'pay nothing' }).waitFor(TIMEOUT);
      let release = () => {};
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      await page.route('**/api/v1/journal/**', async (route) => {
        await released;
        await route.continue();
      });
      await page.getByTestId('verify').click();
      await page
        .getByTestId('verify-panel')
        .getByText(/Loading the records, [1-9]\d* s/)
        .waitFor(TIMEOUT);
      release();
      await page.locator('[data-testid=verify-panel][data-state=sound]').waitFor(TIMEOUT);
      await page.unroute('**/api/v1/journal/**');
    });

    it('shows the operator the state of the exchange', async () => {
      await page.getByRole('link', { name: 'Operator' }).click();
      await page.getByTestId('dependencies').getByText('up').nth(3).waitFor(TIMEOUT);
      expect(await textOf(page, 'figures')).toMatch(/Accept p50 \/ p99.*Settle p50 \/ p99.*Event-loop lag/);
      expect(await textOf(page, 'dependencies')).toContain('BTC feed');
      expect(await textOf(page, 'headline')).not.toBe('');
      expect(await page.evaluate('window.isFirstLoad')).toBe(true);
    });
  });
}

/** The service is a child of the supervisor, which restarts it. */
function servicePid(supervisor: number): number {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' }).split('\n');
  const found = lines
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line))
    .find((row) => Number(row?.[2]) === supervisor && row?.[3]?.includes('server/src/main.ts'));
  if (!found) throw new Error('the service does not run');
  return Number(found[1]);
}

async function ether(rpcUrl: string, address: string): Promise<bigint> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getBalance', params: [address, 'latest'] });
  const answer = await fetch(rpcUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  return BigInt(((await answer.json()) as { result: string }).result);
}
