// What the page tells of all markets of a wallet, whichever screen is open, and what it claims by itself: each win once, whatever happens in between.
/// <reference lib="dom" />
import type { TradingClient } from '@presage/sdk';
import { waitFor, walletOf } from '@presage/testkit';
import type { BrowserContext, Page, Route } from 'playwright-core';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Visit } from '../browser.ts';
import { giveProvider } from '../injected-provider.ts';
import { openScreen, TIMEOUT } from '../page-actions.ts';
import { type Place, Visitor } from '../place.ts';

const MARKET_SECONDS = 3_600;
const DISPUTE_SECONDS = 7_200;
const REDEMPTION = '**/api/v1/relayer/batch-ctf-redemption';
const CLAIMABLE = '/claimable?';

/** A notification is the browser's own; what it was made of is remembered. */
const SPY = `
  window.told = [];
  window.Notification = class extends Notification {
    constructor(title, options) {
      super(title, options);
      window.told.push({ title, ...options });
    }
  };
  Object.defineProperty(document, 'hidden', { get: () => true });
`;

export function testClaims(place: Place): void {
  describe('a wallet with several markets', () => {
    let visit: Visit;
    let page: Page;
    let context: BrowserContext;
    let client: TradingClient;
    let chainId: number;
    const ids = new Map<string, string>();

    const marketId = (name: string) => ids.get(name) ?? '';
    /** Twenty shares of YES at 55 cents. */
    const buy = async (name: string, seconds = MARKET_SECONDS) => {
      const { id } = await place.sandbox.newMarket(`Is the ${name} one told of?`, seconds);
      ids.set(name, id);
      await place.sandbox.quote(id);
      await (await client.placeOrder({ marketId: id, side: 'buy', price: '55c', size: '20' })).waitForSettlement();
    };
    const decide = async (name: string, outcome: 'YES' | 'NO' = 'YES') => {
      const oracle = place.sandbox.client('proposer');
      const isStatus = (status: string) => async () =>
        (await place.sandbox.reader.getMarket(marketId(name))).status === status;
      await place.sandbox.controls.advanceTime(MARKET_SECONDS);
      await (await oracle.proposeResolution(marketId(name), outcome)).wait();
      await place.sandbox.controls.advanceTime(DISPUTE_SECONDS + 1);
      await (await oracle.settleMarket(marketId(name))).wait();
      await waitFor('it is resolved', isStatus('resolved'));
    };
    const toClaim = async () => (await place.sandbox.reader.listClaimable(client.address, { chain_id: chainId })).count;
    const balance = async () =>
      BigInt((await place.sandbox.reader.getBalances(client.address, { chain_id: chainId })).balance);
    const notice = (on: Page, text: string) => on.getByTestId('notice').filter({ hasText: text });
    const seeNotice = async (on: Page, text: string) => {
      await on.getByTestId('bell').click(TIMEOUT);
      await notice(on, text)
        .first()
        .waitFor({ ...TIMEOUT, state: 'attached' });
      const count = await notice(on, text).count();
      await on.keyboard.press('Escape');
      return count;
    };
    /** The claims were looked at once more: whatever would be claimed again is by then. */
    const seeClaimsReadAgain = async (on: Page) => {
      for (let reads = 0; reads < 2; reads++) {
        await on.waitForResponse((answer) => answer.url().includes(CLAIMABLE), TIMEOUT);
      }
    };
    /** Bodies of the redemptions that the page sends from now on; `answer` may keep them from the service. */
    const watchRedemptions = async (answer: (route: Route, count: number) => Promise<void>) => {
      const bodies: string[] = [];
      await context.route(REDEMPTION, (route) => {
        bodies.push(route.request().postData() ?? '');
        return answer(route, bodies.length);
      });
      onTestFinished(() => context.unroute(REDEMPTION));
      return bodies;
    };

    beforeAll(async () => {
      const visitor = new Visitor(place, { permissions: ['notifications'] });
      chainId = (await place.sandbox.reader.getConfig()).chains[0]?.chainId ?? 0;
      client = await visitor.bringWallet();
      await buy('lost');
      visit = await visitor.open('/');
      page = visit.page;
      context = page.context();
      await page.getByTestId('wallet').filter({ hasText: '$989.00' }).waitFor(TIMEOUT);
    });

    it('is told of a fill in a market that is not on the screen, once in two tabs', async () => {
      const other = await context.newPage();
      await other.goto(`${place.sandbox.url}/proof`);
      await other.getByTestId('wallet').filter({ hasText: '$989.00' }).waitFor(TIMEOUT);
      const { id } = await place.sandbox.newMarket('Is a fill elsewhere told of?');
      ids.set('resting', id);
      await client.placeOrder({ marketId: id, side: 'buy', price: '30c', size: '20' });
      await page.getByTestId('wallet').filter({ hasText: '$983.00' }).waitFor(TIMEOUT);
      await place.sandbox.client('taker').placeOrder({ marketId: id, side: 'sell', price: '30c', size: '5' });
      for (const tab of [page, other]) {
        await tab.getByTestId('toast').filter({ hasText: 'Bought 5 YES at 30.0¢' }).waitFor(TIMEOUT);
      }
      expect(await seeNotice(page, '15 still rest in the book. Is a fill elsewhere told of?')).toBe(1);
      expect(await seeNotice(page, 'Settled: Bought 5 YES at 30.0¢')).toBe(1);
      await other.close();
    });

    it('is told after a visit of what happened meanwhile, and of nothing twice', async () => {
      await page.goto('about:blank');
      await place.sandbox
        .client('taker')
        .placeOrder({ marketId: marketId('resting'), side: 'sell', price: '30c', size: '7' });
      await decide('lost', 'NO');
      await page.goto(`${place.sandbox.url}/proof`);
      expect(await seeNotice(page, 'Bought 7 YES at 30.0¢')).toBe(1);
      expect(await seeNotice(page, 'You lost $11.00')).toBe(1);
      await page.reload();
      expect(await seeNotice(page, 'You lost $11.00')).toBe(1);
      expect(await seeNotice(page, 'While you were away')).toBe(1);
    });

    it('gets a notification of the browser if it chose so', async () => {
      await page.addInitScript(SPY);
      await page.reload();
      await page.getByTestId('bell').click(TIMEOUT);
      await page.getByTestId('alerts').click();
      await page.getByTestId('alerts').filter({ hasText: ': on' }).waitFor(TIMEOUT);
      await page.reload();
      await page.getByTestId('wallet').filter({ hasText: '$983.00' }).waitFor(TIMEOUT);
      const order = { marketId: marketId('resting'), side: 'sell', price: '30c', size: '8' } as const;
      await place.sandbox.client('taker').placeOrder(order);
      const told = async () => ((await page.evaluate('window.told')) as { title: string }[]).map(({ title }) => title);
      await expect.poll(told, TIMEOUT).toContain('Bought 8 YES at 30.0¢');
    });

    it('learns on any screen that it won, with a badge until it has claimed', async () => {
      await buy('first');
      await openScreen(page, '/proof');
      await decide('first');
      const verdict = page.getByTestId('toast').filter({ hasText: 'You won $20.00' });
      await verdict.waitFor(TIMEOUT);
      await verdict.getByRole('link', { name: 'Redeem $20.00' }).waitFor(TIMEOUT);
      await page.getByTestId('to-claim').first().filter({ hasText: '1' }).waitFor(TIMEOUT);
    });

    it('has its wins claimed once by two tabs, though the relayer is busy at first', async () => {
      const before = await balance();
      const bodies = await watchRedemptions((route, count) =>
        count > 1
          ? route.continue()
          : route.fulfill({ status: 503, json: { error: 'busy', code: 'overloaded', requestId: 'none' } }),
      );
      const other = await context.newPage();
      await other.goto(`${place.sandbox.url}/proof`);
      await other.getByTestId('to-claim').first().waitFor(TIMEOUT);
      await page.getByTestId('wallet').click();
      await page.getByTestId('wallet-dialog').getByTestId('auto-claim').click(TIMEOUT);
      await page.keyboard.press('Escape');
      await Promise.all(
        [page, other].map((tab) =>
          tab
            .getByTestId('to-claim')
            .first()
            .waitFor({ ...TIMEOUT, state: 'detached' }),
        ),
      );
      expect(await balance()).toBe(before + 20_000_000n);
      expect(bodies.length).toBe(2);
      expect(new Set(bodies).size).toBe(1);
      expect(await seeNotice(page, '$20.00 paid out')).toBe(1);
      await other.close();
    });

    it('has a win claimed once though the page is reloaded in the middle', async () => {
      await buy('second');
      const other = await context.newPage();
      await other.goto(`${place.sandbox.url}/proof`);
      const before = await balance();
      const bodies = await watchRedemptions(async (route) => {
        // The service has it; the page that asked is gone before it hears so.
        await route.fetch();
        await page.reload();
      });
      await decide('second');
      await expect.poll(toClaim, TIMEOUT).toBe(0);
      await Promise.all([page, other].map(seeClaimsReadAgain));
      expect(bodies.length).toBe(1);
      expect(await balance()).toBe(before + 20_000_000n);
      await other.close();
    });

    it('claims nothing, and complains of nothing, where it was claimed by hand meanwhile', async () => {
      await buy('third');
      const before = await balance();
      const bodies = await watchRedemptions(async (route, count) => {
        if (count > 1) return route.continue();
        for (const transaction of (await client.redeemAll()).transactions) await transaction.wait();
        await route.continue();
      });
      await decide('third');
      await expect.poll(() => bodies.length, TIMEOUT).toBeGreaterThan(0);
      await seeClaimsReadAgain(page);
      expect(await balance()).toBe(before + 20_000_000n);
      expect(await toClaim()).toBe(0);
      expect(await page.getByTestId('toast').filter({ hasText: 'Not redeemed' }).count()).toBe(0);
    });

    it('asks an extension for all wins in one go, and not again after it said no', async () => {
      await page.goto('about:blank');
      const collector = walletOf('collector');
      client = place.sandbox.client('collector');
      for (const name of ['fourth', 'fifth']) await buy(name);
      for (const name of ['fourth', 'fifth']) await decide(name);
      const { page: tab } = await place.browser.visit('about:blank');
      const extension = await giveProvider(tab, collector, place.sandbox.process.rpcUrl);
      extension.isRefusing = true;
      const asked = () => extension.calls.filter((method) => /sign|switch/i.test(method));
      await tab.goto(`${place.sandbox.url}/proof`);
      const choose = async () => {
        await tab.getByTestId('wallet').click(TIMEOUT);
        await tab.getByTestId('wallet-dialog').getByTestId('auto-claim').click(TIMEOUT);
        await tab.keyboard.press('Escape');
      };
      await tab.getByTestId('wallet').click(TIMEOUT);
      await tab.getByTestId('open-injected').filter({ hasText: 'Test Wallet' }).click(TIMEOUT);
      await tab.keyboard.press('Escape');
      await tab.getByTestId('to-claim').first().filter({ hasText: '2' }).waitFor(TIMEOUT);
      await choose();
      await tab.getByTestId('toast').filter({ hasText: 'Automatic redemption is off now' }).waitFor(TIMEOUT);
      expect(asked()).toHaveLength(1);
      await tab.waitForResponse((answer) => answer.url().includes(CLAIMABLE), TIMEOUT);
      expect(asked()).toHaveLength(1);
      extension.isRefusing = false;
      const sent: string[] = [];
      tab.on('request', (request) => request.url().endsWith('/batch-ctf-redemption') && sent.push(request.url()));
      await choose();
      await tab.getByTestId('toast').filter({ hasText: '$40.00 redeemed' }).waitFor(TIMEOUT);
      expect(asked().filter((method) => /sign/i.test(method))).toHaveLength(2);
      expect(sent).toHaveLength(1);
    });
  });
}
