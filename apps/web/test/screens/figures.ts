// Every figure on every screen beside what the service says at the same time.
import { readFile } from 'node:fs/promises';
import { createOperatorClient } from '@presage/sdk/operator';
import { waitFor } from '@presage/testkit';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  assetPrice,
  cents,
  compactMoney,
  money,
  percent,
  priceText,
  roundedCents,
  shares,
  signedMoney,
  wholeMoney,
} from '../../src/lib/format.ts';
import { tilesOf } from '../../src/lib/operator.ts';
import { relatedMarkets } from '../../src/lib/related.ts';
import { openScreen, seeLoaded, TIMEOUT, textOf } from '../page-actions.ts';
import type { Place } from '../place.ts';
import type { Scene } from './scene.ts';

const ONE = 1_000_000n;

export function testFigures(place: Place, scene: () => Scene): void {
  describe('the figures on the page', () => {
    let page: Page;
    let openId: string;
    let decidedId: string;
    let address: string;
    let chain_id: number;

    beforeAll(() => {
      ({ address, chainId: chain_id, openId, decidedId } = scene());
      ({ page } = scene().visit);
    });

    const goTo = async (path: string) => {
      await openScreen(page, path);
      await seeLoaded(page);
    };
    const textsOf = async (locator: Locator) =>
      (await locator.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ').trim());
    /** Figures arrive by several ways; each must become what the service says. */
    const expectTexts = (locator: Locator, expected: readonly (string | RegExp)[]) =>
      expect
        .poll(() => textsOf(locator), { timeout: 120_000 })
        .toEqual(expected.map((each) => (typeof each === 'string' ? each : expect.stringMatching(each))));
    const stat = (name: string) =>
      page
        .locator('.stat')
        .filter({ has: page.locator('dt', { hasText: new RegExp(`^${name}$`) }) })
        .locator('dd');
    const points = (change: number | bigint | null) => {
      const rounded = Math.round(Math.abs(Number(change ?? 0)) / 10_000);
      return rounded === 0 ? 'no change today' : `${rounded} ${rounded === 1 ? 'pt' : 'pts'} today`;
    };

    it('are true on every card of the landing screen', async () => {
      await goTo('/');
      const { reader } = place.sandbox;
      const markets = (await reader.listMarkets({ kind: 'standard' })).markets.filter(({ event }) => !event);
      const { events } = await reader.listEvents();
      expect(markets.length).toBeGreaterThanOrEqual(2);
      expect(events.length).toBeGreaterThanOrEqual(2);
      const open = [...markets, ...events].filter(({ status }) => status === 'open');
      await page.getByText(`${open.length} open`).waitFor(TIMEOUT);
      for (const market of markets) {
        const card = page.locator(`[data-market="${market.id}"]`);
        if (market.chance !== null) await expectTexts(card.getByTestId('card-chance'), [percent(market.chance)]);
        await expectTexts(card.locator('.card-foot > span').first(), [`${compactMoney(market.volume)} volume`]);
        if (market.status !== 'open') continue;
        if (market.change24h !== null) {
          await expectTexts(card.getByTestId('change'), [new RegExp(`${points(market.change24h)}$`)]);
        }
        const [bid, yes, no] = [market.bestBidPrice, market.bestAskPrice, market.bestNoAskPrice].map(Number);
        if (!bid && !yes && !no) continue;
        await expectTexts(card.locator('.card-buy a'), [
          `YES ${yes ? priceText(yes) : '–'}`,
          `NO ${no ? priceText(no) : '–'}`,
        ]);
      }
      for (const { id, outcomes, totalVolume } of events) {
        const foot = `${outcomes.length} outcomes, ${compactMoney(totalVolume)} volume`;
        await expectTexts(page.locator(`[data-event="${id}"]`).locator('.card-foot > span').first(), [foot]);
      }
    });

    it('are true on a market: head, both books and the trades', async () => {
      await goTo(`/m/${openId}`);
      const market = await place.sandbox.reader.getMarket(openId);
      await expectTexts(page.getByTestId('chance'), [percent(market.chance ?? 0)]);
      await expectTexts(page.locator('.m-chance').getByTestId('change'), [new RegExp(`${points(market.change24h)}$`)]);
      await expectTexts(stat('Volume'), [compactMoney(market.volume)]);
      await expectTexts(stat('24 hours'), [compactMoney(market.volume24h)]);
      for (const outcome of ['NO', 'YES'] as const) {
        await page.getByTestId(`view-${outcome}`).click();
        const { bids, asks } = await place.sandbox.reader.getOrderbook(openId, { outcome });
        if (bids === undefined || asks === undefined) throw new Error('the service shows no book');
        const rowsOf = (levels: typeof bids) => {
          let total = 0n;
          return levels.map(({ price, size }) => {
            total += (BigInt(price) * BigInt(size)) / ONE;
            return [cents(price).slice(0, -1), shares(size), wholeMoney(total)];
          });
        };
        const rows = (side: 'ask' | 'bid') => page.locator(`.ladder tr.${side}`);
        // What one offers oneself carries a mark, which is no figure of the book.
        const drawn = async (side: 'ask' | 'bid') => {
          const texts = await textsOf(rows(side));
          return texts.map((text) => text.replace(/ [\d.,]+ yours/, '').split(' '));
        };
        await expect.poll(() => drawn('ask'), { timeout: 120_000 }).toEqual(rowsOf(asks).slice(0, 6).reverse());
        await expect.poll(() => drawn('bid'), { timeout: 120_000 }).toEqual(rowsOf(bids).slice(0, 6));
        const [bid, ask] = [Number(bids[0]?.price), Number(asks[0]?.price)];
        await expectTexts(page.getByTestId('spread'), [
          `${cents(Math.round((bid + ask) / 2))} mid spread ${cents(ask - bid)}`,
        ]);
        if (outcome === 'YES') await expectTexts(stat('Spread'), [cents(ask - bid)]);
      }
      const { trades } = await place.sandbox.reader.listTrades(openId);
      await expectTexts(
        page.getByTestId('tape').first().locator('tbody tr'),
        trades
          .slice(0, 12)
          .map(({ side, outcome, price, size, timestamp }) =>
            [
              side === 0 ? 'bought' : 'sold',
              outcome === 0 ? 'YES' : 'NO',
              cents(price),
              shares(size),
              new Date(timestamp * 1_000).toISOString().slice(11, 19),
              'settled',
            ].join(' '),
          ),
      );
    });

    it('are true of what the wallet holds and offers in a market', async () => {
      const position = await place.sandbox.reader.getPosition(openId, address);
      const { positions } = await place.sandbox.reader.listPositions(address, { chain_id });
      const held = positions.find(({ marketId }) => marketId === openId);
      if (held === undefined) throw new Error('the service knows of no position');
      const rowOf = (name: 'YES' | 'NO') => {
        const [size, cost, price] = (
          name === 'YES' ? [held.yesShares, held.yesCost, held.yesPrice] : [held.noShares, held.noCost, held.noPrice]
        ).map(BigInt) as [bigint, bigint, bigint];
        const exact = (size * price) / ONE;
        const value = exact - (exact % 10_000n);
        const average = roundedCents((cost * ONE) / size);
        const profit = new RegExp(`${signedMoney(exact - cost).replaceAll(/[$+.]/g, '\\$&')}$`);
        return [name, shares(size), average, roundedCents(price), money(value), profit, money(size)];
      };
      expect([position.yesShares, position.noShares].map(BigInt)).toEqual([held.yesShares, held.noShares].map(BigInt));
      await page.getByTestId('tab-positions').click();
      for (const name of ['YES', 'NO'] as const) {
        await expectTexts(page.getByTestId(`position-${name}`).locator('td:not(:last-child)'), rowOf(name));
      }
      const { orders } = await place.sandbox.reader.listOrders(address);
      await page.getByTestId('tab-orders').click();
      for (const { price, remainingSize, size, side, outcome } of orders) {
        await expectTexts(page.getByTestId('open-orders').locator('tbody tr').first().locator('td').nth(0), [
          `${side === 0 ? 'Buy' : 'Sell'} ${outcome === 0 ? 'YES' : 'NO'}`,
        ]);
        await expectTexts(page.getByTestId('open-orders').locator('tbody td').nth(1), [cents(price)]);
        await expectTexts(page.getByTestId('open-orders').locator('tbody td').nth(2), [shares(remainingSize)]);
        await expectTexts(page.getByTestId('open-orders').locator('tbody td').nth(3), [shares(size)]);
      }
      expect(orders).toHaveLength(1);
    });

    it('are true on a quick market', async () => {
      // Between two windows none is open for a moment.
      const quickMarket = await waitFor('a window is open', async () => {
        const current = await place.sandbox.reader.getQuickMarket('BTC');
        return current.quickMarket ?? undefined;
      });
      await goTo('/quick/BTC');
      const { startPrice, priceDecimals, marketId } = quickMarket;
      const market = await place.sandbox.reader.getMarket(marketId);
      await expectTexts(page.getByTestId('strike'), [assetPrice(startPrice, priceDecimals)]);
      await expectTexts(page.getByTestId('spot'), ['$100,000.00']);
      const difference = 100_000 * 10 ** priceDecimals - Number(startPrice);
      const text = assetPrice(Math.abs(difference), priceDecimals).replace('$', '\\$');
      await expectTexts(page.getByTestId('difference'), [new RegExp(`${difference < 0 ? '−' : '\\+'}${text}$`)]);
      await expectTexts(stat('Volume'), [compactMoney(market.volume)]);
      await expectTexts(page.getByTestId('chance'), [market.chance === null ? '–' : percent(market.chance)]);
      const { markets } = await place.sandbox.reader.listQuickMarkets('BTC');
      const results = markets.filter(({ resolved }) => resolved).slice(0, 10);
      const count = (wanted: number | null) => results.filter(({ outcome }) => outcome === wanted).length;
      await page.getByText(`${count(0)} Up, ${count(1)} Down`).waitFor(TIMEOUT);
    });

    it('are true on a decided market', async () => {
      await goTo(`/m/${decidedId}`);
      const market = await place.sandbox.reader.getMarket(decidedId);
      const { positions } = await place.sandbox.reader.listPositions(address, { chain_id, shares: 'any' });
      const held = positions.find(({ marketId }) => marketId === decidedId);
      if (held === undefined) throw new Error('the service knows of no position');
      await expectTexts(stat('YES pays'), ['$1.00']);
      // Its line ends where it was decided.
      await page.locator('[data-testid=price-chart][data-state=ready]').waitFor(TIMEOUT);
      expect(await page.getByTestId('price-chart').getAttribute('aria-label')).toMatch(/now 100%\.$/);
      await expectTexts(stat('NO pays'), ['$0.00']);
      await expectTexts(stat('Volume'), [compactMoney(market.volume)]);
      await expectTexts(page.getByTestId('redeem'), [`Redeem ${money(held.value)}`]);
      await expectTexts(page.getByTestId('claim').locator('.hero-figure'), [money(held.value)]);
      await expectTexts(page.getByTestId('claim').locator('dd'), [
        `${shares(held.yesShares)} YES`,
        money(held.yesCost),
        money(held.revenue),
        new RegExp(`${signedMoney(held.pnl).replaceAll(/[$+.]/g, '\\$&')}$`),
      ]);
    });

    it('are true on the portfolio', async () => {
      await goTo('/portfolio');
      const { balance, available, reserved } = await place.sandbox.reader.getBalances(address, { chain_id });
      const standing = await place.sandbox.reader.getUserStatistics(address);
      const { positions } = await place.sandbox.reader.listPositions(address, { chain_id, shares: 'any' });
      const worth = (isOver: boolean) =>
        positions
          .filter(({ status }) => (status === 'resolved') === isOver)
          .reduce((sum, { value }) => sum + BigInt(value), 0n);
      expect(BigInt(available) + BigInt(reserved)).toBe(BigInt(balance));
      expect(worth(true) + worth(false)).toBe(BigInt(standing.position_value));
      // Each is cut to cents, so that they add up as shown; the bids take all that is held.
      const toCents = (amount: bigint) => amount - (amount % 10_000n);
      const held = positions.find(({ marketId }) => marketId === openId)!;
      const open = [toCents(BigInt(held.yesValue)), toCents(BigInt(held.noValue))].reduce(
        (sum, value) => sum + value,
        0n,
      );
      const parts = [toCents(BigInt(available)), open, toCents(worth(true)), toCents(BigInt(reserved))];
      await expectTexts(page.getByTestId('equity'), [money(parts.reduce((sum, part) => sum + part, 0n))]);
      for (const [index, testId] of ['available', 'in-positions', 'to-redeem', 'reserved'].entries()) {
        await expectTexts(page.getByTestId(testId), [money(parts[index] ?? 0n)]);
      }
      expect(await textOf(page, 'realized')).toBe(signedMoney(standing.realized_pnl));
      // Each row is rounded, and the figures on top are the sums of those shown.
      const round = (amount: bigint) => BigInt(Math.round(Number(amount) / 10_000)) * 10_000n;
      const unrealized =
        round(BigInt(held.yesValue) - BigInt(held.yesCost)) + round(BigInt(held.noValue) - BigInt(held.noCost));
      expect(Math.abs(Number(unrealized) - Number(standing.unrealized_pnl))).toBeLessThanOrEqual(10_000);
      expect(await textOf(page, 'unrealized')).toBe(signedMoney(unrealized));
      expect(await textOf(page, 'total-profit')).toContain(
        signedMoney(round(BigInt(standing.realized_pnl)) + unrealized),
      );
      const openValues = await textsOf(page.getByTestId('open-position').getByTestId('value'));
      expect(openValues).toHaveLength(2);
      await page.getByTestId('tab-closed').click();
      const over = positions.find(({ marketId }) => marketId === decidedId);
      await expectTexts(page.getByTestId('closed-position').locator('td.num'), [
        money(over?.yesCost ?? 0),
        new RegExp(`^${money(over?.value ?? 0).replaceAll(/[$.]/g, '\\$&')} to redeem$`),
        new RegExp(`${signedMoney(over?.pnl ?? 0).replaceAll(/[$+.]/g, '\\$&')}$`),
      ]);
      await page.getByTestId('tab-orders').click();
      const { orders } = await place.sandbox.reader.listOrders(address);
      expect(orders).toHaveLength(1);
      for (const [index, { marketId, side, outcome, price, remainingSize, size }] of orders.entries()) {
        const { question } = await place.sandbox.reader.getMarket(marketId);
        const cells = page.getByTestId('open-orders').locator('tbody tr').nth(index).locator('td');
        await expect
          .poll(async () => (await textsOf(cells)).slice(0, 5), { timeout: 120_000 })
          .toEqual([
            question,
            `${side === 0 ? 'Buy' : 'Sell'} ${outcome === 0 ? 'YES' : 'NO'}`,
            cents(price),
            shares(remainingSize),
            shares(size),
          ]);
      }
      await page.getByTestId('tab-history').click();
      const { activity } = await place.sandbox.reader.getUserActivity(address, { chain_id });
      const lines = activity.map(
        ({ side, size, outcome, price }) =>
          `${side === 0 ? 'Bought' : 'Sold'} ${shares(size)} ${outcome === 0 ? 'YES' : 'NO'} at ${cents(price)}`,
      );
      await expectTexts(page.getByTestId('history').locator('tbody td:nth-child(2)'), lines);
      await expectTexts(
        page.getByTestId('history').locator('tbody td:nth-child(3)'),
        activity.map(({ side, cost }) => (side === 0 ? money(-BigInt(cost)) : signedMoney(cost))),
      );
      // A file has the oldest first.
      const fills = await saved(() => page.getByText('Save fills').click());
      expect(fills.map((line) => line.split(',')[2])).toEqual(activity.map(({ tradeId }) => tradeId).reverse());
    });

    /** The lines of the file that the page saves, without their heading. */
    async function saved(click: () => Promise<void>): Promise<string[]> {
      const [download] = await Promise.all([page.waitForEvent('download'), click()]);
      return (await readFile(await download.path(), 'utf8')).split('\r\n').slice(1, -1);
    }

    const cellsOf = (row: Locator) => ({
      volume: row.getByTestId('volume'),
      trades: row.getByTestId('trades'),
      profit: row.getByTestId('profit'),
    });
    const gain = (amount: number | bigint) => (BigInt(amount) === 0n ? money(0) : signedMoney(amount));

    it('are true on the leaderboard, by day, by week and in all, by volume and by profit', async () => {
      await goTo('/leaderboard');
      for (const period of ['all', 'week', 'day'] as const) {
        for (const sort of ['profit', 'volume'] as const) {
          await page
            .getByRole('button', { name: { all: 'All', week: 'Week', day: 'Day' }[period], exact: true })
            .click();
          await page.getByRole('button', { name: { profit: 'Profit', volume: 'Volume' }[sort], exact: true }).click();
          const { leaders } = await place.sandbox.reader.getLeaderboard({ period, sort });
          expect(leaders.length).toBeGreaterThanOrEqual(period === 'all' ? 3 : 0);
          const rows = page.locator('[data-wallet]');
          await expect
            .poll(() => rows.evaluateAll((all) => all.map((each) => each.getAttribute('data-wallet'))), TIMEOUT)
            .toEqual(leaders.map(({ userAddress }) => userAddress));
          for (const [index, { volume, tradeCount, pnl }] of leaders.entries()) {
            const cells = cellsOf(rows.nth(index));
            await expectTexts(cells.volume, [money(volume)]);
            await expectTexts(cells.trades, [String(tradeCount)]);
            await expectTexts(cells.profit, [gain(pnl)]);
          }
        }
      }
    });

    it('are true on the public page of a wallet, to which the leaderboard leads', async () => {
      await goTo('/leaderboard');
      // The time passed so far may have ended the day of its trades.
      await page.getByRole('button', { name: 'All', exact: true }).click();
      await page.locator(`[data-wallet="${address}"] a`).click(TIMEOUT);
      await page.locator('main[data-screen=wallet]').waitFor(TIMEOUT);
      await seeLoaded(page);
      const standing = await place.sandbox.reader.getUserStatistics(address);
      const { positions } = await place.sandbox.reader.listPositions(address, { chain_id, shares: 'any' });
      const { activity, settlements } = await place.sandbox.reader.getUserActivity(address, { chain_id, limit: 100 });
      await expectTexts(page.getByTestId('public-volume'), [money(standing.volume)]);
      await expectTexts(page.getByTestId('public-trades'), [String(standing.trade_count)]);
      // All its trades are listed, and their costs add up to its volume.
      expect(settlements).toHaveLength(0);
      expect(activity).toHaveLength(standing.trade_count);
      expect(activity.reduce((sum, { cost }) => sum + BigInt(cost), 0n)).toBe(BigInt(standing.volume));
      const toCents = (amount: bigint) => amount - (amount % 10_000n);
      const round = (amount: bigint) => BigInt(Math.round(Number(amount) / 10_000)) * 10_000n;
      const sides = positions
        .filter(({ resolved }) => !resolved)
        .flatMap(({ yesShares, yesValue, yesCost, noShares, noValue, noCost }) => [
          { shares: BigInt(yesShares), value: BigInt(yesValue), cost: BigInt(yesCost) },
          { shares: BigInt(noShares), value: BigInt(noValue), cost: BigInt(noCost) },
        ])
        .filter(({ shares }) => shares > 0n);
      const sum = (amounts: readonly bigint[]) => amounts.reduce((total, each) => total + each, 0n);
      const unrealized = sum(sides.map(({ value, cost }) => round(value - cost)));
      const realized = round(BigInt(standing.realized_pnl));
      await expectTexts(page.getByTestId('in-positions'), [money(sum(sides.map(({ value }) => toCents(value))))]);
      await expectTexts(page.getByTestId('unrealized'), [gain(unrealized)]);
      await expectTexts(page.getByTestId('realized'), [gain(realized)]);
      await expectTexts(page.getByTestId('public-profit'), [gain(realized + unrealized)]);
      await expectTexts(
        page.getByTestId('open-position').getByTestId('value'),
        sides.map(({ value }) => money(toCents(value))),
      );
      expect(await page.getByRole('link', { name: /^Sell/ }).count()).toBe(0);
      await page.getByTestId('tab-history').click();
      await expectTexts(
        page.getByTestId('history').locator('tbody td:nth-child(3)'),
        activity.map(({ side, cost }) => (side === 0 ? money(-BigInt(cost)) : signedMoney(cost))),
      );
      // The files on a stranger's page are the stranger's.
      const stranger = activity[0]?.counterparty ?? '';
      await goTo(`/wallet/${stranger}`);
      await page.getByTestId('tab-history').click(TIMEOUT);
      const saved = await page.getByRole('link', { name: 'Save fills' }).getAttribute('href', TIMEOUT);
      expect(saved).toContain(`/users/${stranger}/export`);
    });

    it('lead from the holders and the trades of a market to its wallets, and to related markets', async () => {
      await goTo(`/m/${openId}`);
      for (const [tab, list] of [
        ['tab-holders', 'holders'],
        ['tab-activity', 'activity'],
      ] as const) {
        await page.getByTestId(tab).click();
        const link = page.getByTestId(list).getByRole('link', { name: 'you' }).first();
        await link.waitFor(TIMEOUT);
        expect(await link.getAttribute('href')).toBe(`/wallet/${address}`);
      }
      const { markets } = await place.sandbox.reader.listMarkets({ status: 'open', kind: 'standard', limit: 100 });
      const subject = await place.sandbox.reader.getMarket(openId);
      const expected = relatedMarkets(markets, subject, 4);
      expect(expected.length).toBeGreaterThan(0);
      await expectTexts(
        page.getByTestId('related').locator('.lq'),
        expected.map(({ question }) => question),
      );
    });

    it("are true on the operator's screen", async () => {
      await goTo('/operator');
      const { relayer, settlementQueue } = await place.sandbox.reader.getStatus();
      const { count } = await place.sandbox.reader.listPendingTrades();
      const failed = await place.sandbox.reader.listFailedTrades();
      await expectTexts(page.getByTestId('queue').locator('.fig'), [String(count)]);
      await page
        .getByTestId('queue')
        .getByText(`${settlementQueue.batchesInFlight} batches in flight`)
        .waitFor(TIMEOUT);
      await page.getByTestId('failed-trades').getByText(`${failed.count} in 24 hours`).waitFor(TIMEOUT);
      const ether = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 6 });
      await expectTexts(page.getByTestId('relayer').locator('.fig'), [ether.format(Number(relayer.balance) / 1e18)]);
      await page
        .getByTestId('relayer')
        .locator('dd', { hasText: String(relayer.nonce) })
        .last()
        .waitFor(TIMEOUT);
      const words = { up: 'Up', slow: 'Slow', down: 'Down' };
      const tiles = page.getByTestId('dependencies').locator('li');
      // Blocks, rates and ages move on while they are read: the page must come to say what the service says.
      await expect
        .poll(
          async () => {
            const said = tilesOf(await place.sandbox.reader.getStatus());
            const shown = await textsOf(tiles);
            return said.map(({ name, state, text }, index) => {
              const isMoving = name.endsWith('feed') || name === 'Engine';
              const expected = `${name} ${words[state]} ${isMoving ? '' : text}`;
              return shown[index]?.startsWith(expected) ? 'the same' : `${shown[index]} instead of ${expected}`;
            });
          },
          { timeout: 120_000 },
        )
        .toEqual(tilesOf(await place.sandbox.reader.getStatus()).map(() => 'the same'));
      const waiting = await place.sandbox.reader.listMarkets({ kind: 'standard', status: 'expired' });
      const sentence = waiting.count === 0 ? 'No market waits for a result.' : `${waiting.count} market`;
      await page.locator('.o-head').getByText(sentence).waitFor(TIMEOUT);
    });

    it('are true on the Proof screen and in the log of operators', async () => {
      const operator = createOperatorClient({
        url: place.sandbox.url,
        key: await place.sandbox.controls.getOperatorKey(),
      });
      await goTo('/proof');
      const { chains, markets } = await place.sandbox.reader.getSolvency();
      const [chain] = chains;
      await expectTexts(page.getByTestId('collateral'), [money(chain!.collateral!)]);
      await expectTexts(page.getByTestId('locked'), [money(chain!.locked)]);
      await expectTexts(page.getByTestId('drift'), [money(chain!.drift!)]);
      const rows = markets.flatMap((each) => [shares(each.yesShares), shares(each.noShares), money(each.locked)]);
      await expectTexts(page.getByTestId('solvency-markets').locator('td.num'), rows);
      const headOf = async () => String((await place.sandbox.reader.getJournalHead()).heads[0]!.lastSeq);
      await expect
        .poll(async () => (await textsOf(page.getByTestId('head-seq')))[0] === (await headOf()), TIMEOUT)
        .toBe(true);
      await goTo('/operator');
      const exported = await saved(() => page.getByTestId('export-audit').click());
      const { actions } = await operator.listActions();
      expect(exported.map((line) => Number(line.split(',')[0]))).toEqual(actions.map(({ seq }) => seq).reverse());
      expect(actions.length).toBeGreaterThan(0);
      await expectTexts(
        page.getByTestId('audit-log').locator('b'),
        actions.map(({ kind }) => kind.replaceAll('-', ' ')),
      );
    });
  });
}
