// What a market's page offers beside its ticket: a lock when the price moves, depth, holders, activity, a watchlist, pairs, links and words to share.
import { isLongRun } from '@presage/testkit';
import type { Page, Request } from 'playwright-core';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { money, shares } from '../../src/lib/format.ts';
import type { Visit } from '../browser.ts';
import { openDetails, openScreen, seeLiveBook, TIMEOUT, textOf } from '../page-actions.ts';
import type { Place, Visitor } from '../place.ts';

const EXPLORER = 'https://explorer.example';
const MANY_MARKETS = isLongRun ? 2_000 : 200;

export function testMarketPage(place: Place, visitor: Visitor): void {
  describe("a market's page", () => {
    let visit: Visit;
    let page: Page;
    let marketId: string;
    let hiddenId: string;
    let address: string;
    let chainId: number;

    beforeAll(async () => {
      ({ id: marketId, chainId } = await place.sandbox.newMarket('Is "everything" <there>?'));
      await place.sandbox.quote(marketId);
      const hidden = await place.sandbox.controls.createMarket({
        question: 'What is in the small print?',
        description: 'Decided by the number of zebras at noon.',
      });
      hiddenId = hidden.id;
      visit = await visitor.open(`/m/${marketId}`);
      page = visit.page;
      await seeLiveBook(page);
      address = await visitor.openWallet(page);
      await page.getByTestId('unit').click();
      await page.getByTestId('size').fill('10');
      await page.locator('[data-testid=submit][data-state=ready]').waitFor(TIMEOUT);
      await page.getByTestId('submit').click();
      await page.locator('[data-testid=order-life][data-stage=settled]').waitFor(TIMEOUT);
    });

    it('locks its button for a moment when the price moves under a typed order, and says so', async () => {
      await page.getByTestId('size').fill('10');
      await page.locator('[data-testid=submit][data-state=ready]').waitFor(TIMEOUT);
      await page.evaluate(`
      window.states = [];
      new MutationObserver(() => window.states.push(document.querySelector('[data-testid=submit]')?.dataset.state))
        .observe(document.querySelector('[data-testid=ticket]'), { subtree: true, attributes: true, attributeFilter: ['data-state'] });
    `);
      // Within what the order allows: 55 becomes 54.8.
      await place.sandbox.quote(marketId, [{ side: 'sell', price: '54.8c', size: '50' }]);
      await page.getByTestId('ask-0').filter({ hasText: '54.8' }).waitFor(TIMEOUT);
      expect(await textOf(page, 'why')).toBe('One signature. No gas to pay.');
      const taken = await place.sandbox
        .client('taker')
        .placeOrder({ marketId, side: 'buy', price: '55c', size: '340' });
      expect(taken.trades.length).toBeGreaterThan(0);
      // From what it was when the amount was typed.
      await page.getByTestId('why').filter({ hasText: 'The price moved from 55.0¢ to 56.0¢.' }).waitFor(TIMEOUT);
      await page.locator('[data-testid=submit][data-state=ready]').waitFor(TIMEOUT);
      expect(await page.evaluate('window.states')).toContain('moved');
      expect(await page.getByTestId('size').inputValue()).toBe('10');
      await page.getByTestId('size').fill('');
      await page.getByTestId('why').filter({ hasText: 'One signature' }).waitFor(TIMEOUT);
    });

    it('draws the depth within 15 cents of the mid, with the totals up to the pointer', async () => {
      await page.getByRole('button', { name: 'Depth' }).click();
      const depth = page.getByTestId('depth');
      await depth.waitFor(TIMEOUT);
      const { bids = [], asks = [] } = await place.sandbox.reader.getOrderbook(marketId, { outcome: 'YES' });
      const middle = (Number(bids[0]?.price) + Number(asks[0]?.price)) / 2;
      expect(Number(await depth.getAttribute('data-low'))).toBe(middle - 150_000);
      expect(Number(await depth.getAttribute('data-high'))).toBe(middle + 150_000);
      const box = await depth.locator('svg').boundingBox();
      if (box === null) throw new Error('the chart is not drawn');
      await page.mouse.move(box.x + box.width - 3, box.y + box.height / 2);
      const inReach = asks.filter(({ price }) => Number(price) <= middle + 150_000);
      const size = inReach.reduce((sum, level) => sum + BigInt(level.size), 0n);
      const total = inReach.reduce((sum, level) => sum + (BigInt(level.price) * BigInt(level.size)) / 1_000_000n, 0n);
      await page
        .getByTestId('depth-tip')
        .filter({ hasText: `${shares(size)} shares, ${money(total)}` })
        .waitFor(TIMEOUT);
      const [scale, panel] = [
        await depth.locator('.depth-scale').boundingBox(),
        await page.getByLabel('Price history').boundingBox(),
      ];
      expect((scale?.y ?? 0) + (scale?.height ?? 0)).toBeLessThanOrEqual((panel?.y ?? 0) + (panel?.height ?? 0));
      await page.getByRole('button', { name: 'Chance' }).click();
      // What is one's own is drawn, and named where it lies over nothing.
      await page.getByTestId('chart-legend').filter({ hasText: 'Your average 55.0¢, 1 fill' }).waitFor(TIMEOUT);
    });

    it('lists its holders and who traded with whom, as the service does', async () => {
      await page.getByTestId('tab-holders').click();
      const rows = page.getByTestId('holders').locator('tbody tr');
      const { topHolders } = await place.sandbox.reader.getHolders(marketId);
      await expect.poll(() => rows.count(), { timeout: 120_000 }).toBe(topHolders.length);
      const own = topHolders.find(({ userAddress }) => userAddress.toLowerCase() === address.toLowerCase());
      const text = (await rows.filter({ hasText: 'you' }).innerText()).replaceAll(/\s+/g, ' ');
      expect(text).toBe(`you ${shares(own?.yesShares ?? 0)} – ${money(own?.totalInvested ?? 0)}`);
      await page.getByTestId('tab-activity').click();
      const { activity } = await place.sandbox.reader.getMarketActivity(marketId);
      const lines = page.getByTestId('activity').locator('tbody tr');
      await expect.poll(() => lines.count(), { timeout: 120_000 }).toBe(activity.length);
      await lines.filter({ hasText: 'you bought YES' }).first().waitFor(TIMEOUT);
    });

    it('is put on the list of watched markets by its star, and stays there', async () => {
      await page.getByTestId('watch').click();
      expect(await page.getByTestId('watch').getAttribute('aria-pressed')).toBe('true');
      await page.goto(place.sandbox.url);
      await page.getByTestId('watched-only').click(TIMEOUT);
      await page.locator(`[data-market="${marketId}"]`).waitFor(TIMEOUT);
      expect(await page.getByTestId('market-card').count()).toBe(1);
      await page.locator(`[data-market="${marketId}"]`).getByTestId('watch').click();
      await page.getByText('You watch no market yet.').waitFor(TIMEOUT);
      expect(new URL(page.url()).pathname).toBe('/');
    });

    it('is found by the words of its description', async () => {
      await page.getByTestId('watched-only').click();
      await page.getByTestId('search').fill('zebras');
      await page.locator(`[data-market="${hiddenId}"]`).waitFor(TIMEOUT);
      await expect.poll(() => page.getByTestId('market-card').count()).toBe(1);
    });

    it('is found from every screen as one types, with keys', async () => {
      await openScreen(page, '/portfolio');
      await page.getByTestId('search').fill('zebras noon');
      const result = page.getByTestId('search-result');
      await result.filter({ hasText: 'What is in the small print?' }).waitFor(TIMEOUT);
      expect(await result.count()).toBe(1);
      await page.getByTestId('search').press('ArrowDown');
      await page.keyboard.press('Enter');
      await page.getByTestId('market-title').filter({ hasText: 'What is in the small print?' }).waitFor(TIMEOUT);
      expect(await page.getByTestId('search').inputValue()).toBe('');
    });

    it('reads what the visitor holds once for all the parts that show it', async () => {
      const underWay = new Set<Request>();
      let most = 0;
      const onRequest = (request: Request) => {
        if (!request.url().includes('/positions/')) return;
        underWay.add(request);
        most = Math.max(most, underWay.size);
      };
      const onEnd = (request: Request) => underWay.delete(request);
      page.on('request', onRequest).on('requestfinished', onEnd).on('requestfailed', onEnd);
      await page.goto(`${place.sandbox.url}/m/${marketId}`);
      await seeLiveBook(page);
      await page.getByTestId('position-YES').waitFor(TIMEOUT);
      page.off('request', onRequest).off('requestfinished', onEnd).off('requestfailed', onEnd);
      // Two while the wallet changes: the one that is given up for the newer one.
      expect([1, 2]).toContain(most);
    });

    it('splits a dollar into YES and NO and merges them again, in the details of the ticket', async () => {
      await openDetails(page);
      const held = async () => {
        const { yesShares, noShares } = await place.sandbox.reader.getPosition(marketId, address);
        return [Number(yesShares), Number(noShares)];
      };
      const [yes] = await held();
      await page.getByTestId('pairs-amount').fill('7');
      await page.getByTestId('split').click();
      await page.getByTestId('toast').filter({ hasText: 'Split $7.00: done' }).waitFor(TIMEOUT);
      await expect.poll(held, { timeout: 120_000 }).toEqual([Number(yes) + 7_000_000, 7_000_000]);
      await page.getByTestId('pairs').getByText('You have 7 to merge').waitFor(TIMEOUT);
      await page.getByTestId('pairs-amount').fill('7');
      // Enter in this field places no order.
      await page.getByTestId('pairs-amount').press('Enter');
      await page.getByTestId('merge').click();
      await page.getByTestId('toast').filter({ hasText: 'Merge 7 pairs: done' }).waitFor(TIMEOUT);
      await expect.poll(held, { timeout: 120_000 }).toEqual([yes, 0]);
    });

    it('links settled trades to the explorer of their chain where one is set, and to none otherwise', async () => {
      expect(await page.getByTestId('explorer').count()).toBe(0);
      await page.route('**/api/v1/config', async (route) => {
        const answer = await route.fetch();
        const config = (await answer.json()) as { chains: object[] };
        const chains = config.chains.map((chain) => ({ ...chain, explorerUrl: EXPLORER }));
        const other = { ...chains[0], chainId: 1, explorerUrl: 'https://other.example' };
        await route.fulfill({ response: answer, json: { ...config, chains: [other, ...chains] } });
      });
      // The service knows nothing of the other one.
      await page.route(/chain_id=1(&|$)/, (route) =>
        route.continue({ url: route.request().url().replace('chain_id=1', `chain_id=${chainId}`) }),
      );
      onTestFinished(async () => {
        // Before it asks for the other chain without the route.
        await page.goto('about:blank');
        await page.unrouteAll({ behavior: 'wait' });
        await page.goto(`${place.sandbox.url}/m/${marketId}`);
      });
      await page.goto(`${place.sandbox.url}/m/${marketId}`);
      await page.getByTestId('tab-activity').click(TIMEOUT);
      const { activity } = await place.sandbox.reader.getMarketActivity(marketId);
      const link = page.getByTestId('activity').getByTestId('explorer').first();
      await link.waitFor(TIMEOUT);
      expect(await link.getAttribute('href')).toBe(`${EXPLORER}/tx/${activity[0]?.txHash}`);
    });

    it('tells other sites its question, before any script has run', async () => {
      const html = await (await fetch(`${place.sandbox.url}/m/${marketId}`)).text();
      expect(html).toContain('<title>Is &quot;everything&quot; &lt;there&gt;?</title>');
      expect(html).toContain('<meta property="og:title" content="Is &quot;everything&quot; &lt;there&gt;?">');
      expect(html.match(/<meta name="description"/g)).toHaveLength(1);
      // While the page loads the market, its title is that of the exchange.
      await expect.poll(() => page.title(), TIMEOUT).toContain('Is "everything" <there>?');
    });

    it("shows times in UTC, or in the visitor's own time", async () => {
      const { trades } = await place.sandbox.reader.listTrades(marketId);
      const at = (shiftHours: number) =>
        new Date(((trades[0]?.timestamp ?? 0) + shiftHours * 3_600) * 1_000).toISOString().slice(11, 19);
      const newest = page.getByTestId('tape').locator('tbody tr').first();
      await newest.filter({ hasText: at(0) }).waitFor(TIMEOUT);
      await page.getByTestId('wallet').click();
      await page.getByTestId('local-time').click();
      await page.keyboard.press('Escape');
      await newest.filter({ hasText: at(9) }).waitFor(TIMEOUT);
      expect(await textOf(page, 'resolution-sentence')).toMatch(/GMT\+9/);
    });

    it('shows sixty cards at a time', async () => {
      await page.route('**/api/v1/markets?*', async (route) => {
        const answer = await route.fetch();
        const list = (await answer.json()) as { markets: { kind: string; id: string; event?: object }[] };
        const sample = list.markets.find(({ kind, event }) => kind === 'standard' && event === undefined);
        const markets = Array.from({ length: MANY_MARKETS }, (_, index) => ({
          ...sample,
          id: `0x${index.toString(16).padStart(64, '0')}`,
        }));
        await route.fulfill({ response: answer, json: { ...list, markets, count: markets.length } });
      });
      await page.route('**/api/v1/events?*', (route) => route.fulfill({ json: { events: [], count: 0, next: null } }));
      onTestFinished(() => page.unrouteAll({ behavior: 'wait' }));
      // The list is read again every five seconds.
      await openScreen(page, '/');
      await page
        .getByTestId('more-markets')
        .filter({ hasText: `60 of ${MANY_MARKETS}` })
        .waitFor(TIMEOUT);
      expect(await page.getByTestId('market-card').count()).toBe(60);
      await page.getByTestId('more-markets').click();
      await expect.poll(() => page.getByTestId('market-card').count()).toBe(120);
    });

    it('caused no error in the browser console', () => {
      expect(visit.complaints).toEqual([]);
      expect(visit.outside).toEqual([]);
    });
  });
}
