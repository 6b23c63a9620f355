// What the ticket's button says is the worst that can happen, even when others change the book between the preview and the order's arrival.
import { costOf, parseMillionths, toPrice, toSize } from '@presage/protocol';
import type { TradingClient } from '@presage/sdk';
import { fromMillionths, isLongRun, SeededRandom, seedFromEnv } from '@presage/testkit';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shares } from '../../src/lib/format.ts';
import type { Visit } from '../browser.ts';
import { type ButtonFigures, leastOf, readButton } from '../button-figures.ts';
import { nameOwnPrice, openDetails, openScreen, seeLiveBook, TIMEOUT, textOf } from '../page-actions.ts';
import { type Place, Visitor } from '../place.ts';
import type { Quote } from '../web-sandbox.ts';

const SEED = seedFromEnv(28);
const ROUNDS = isLongRun ? 200 : 20;
const PURSE = '100000';
const PAIRS = '400';
const ADVERSARY = 'adversary';
/** The page takes no answer to its question before it can have been read. */
const ASKED_MS = 900;

export function testButtonPromise(place: Place): void {
  describe("the ticket's button", () => {
    const visitor = new Visitor(place);
    let trader: TradingClient;
    let visit: Visit;
    let page: Page;
    let address: string;
    let marketId: string;

    beforeAll(async () => {
      trader = await visitor.bringWallet();
      marketId = (await place.sandbox.newMarket('Does the button keep its word?')).id;
      visit = await visitor.open(`/m/${marketId}`);
      page = visit.page;
      address = await visitor.openWallet(page);
      await place.sandbox.controls.fund(address, PURSE);
    });
    afterAll(() => visit?.close());

    const openMarket = async (quotes: readonly Quote[], pairs?: string) => {
      marketId = (await place.sandbox.newMarket('Does the button keep its word?')).id;
      await place.sandbox.quote(marketId, quotes, ADVERSARY);
      if (pairs !== undefined) await (await trader.split(marketId, pairs)).wait();
      await openScreen(page, `/m/${marketId}`);
    };
    const replaceQuotes = async (quotes: readonly Quote[]) => {
      await place.sandbox.client(ADVERSARY).cancelAll({ marketId });
      if (quotes.length > 0) await place.sandbox.quote(marketId, quotes, ADVERSARY);
    };
    const balance = async () => {
      const chain_id = (await place.sandbox.reader.getConfig()).chains[0]!.chainId;
      return BigInt((await place.sandbox.reader.getBalances(address, { chain_id })).balance);
    };
    const ready = () => page.locator('[data-testid=submit][data-state=ready]').waitFor(TIMEOUT);
    const seeHeld = (held: bigint) =>
      page
        .getByTestId('ticket')
        .getByText(`You hold ${shares(held)}`, { exact: true })
        .waitFor(TIMEOUT);
    const choose = (text: string) => page.getByTestId('ticket').getByText(text, { exact: true }).click();

    /** Presses the button; `meanwhile` happens after the order was signed and before it arrives. Answers the order's hash. */
    const press = async (meanwhile: () => Promise<void>): Promise<{ said: ButtonFigures; orderHash: string }> => {
      await page.route('**/api/v1/orders', async (route) => {
        if (route.request().method() === 'POST') await meanwhile();
        await route.continue();
      });
      const answered = page.waitForResponse(
        (answer) => answer.url().endsWith('/api/v1/orders') && answer.request().method() === 'POST',
        TIMEOUT,
      );
      // Read and pressed in one turn of the page: no newer book comes between.
      const click = () =>
        page.evaluate<string>(`(() => {
          const button = document.querySelector('[data-testid=submit]');
          const { innerText } = button;
          button.click();
          return innerText;
        })()`);
      let text = await click();
      // A price far from the mid is asked about, and what the question says is the promise. Only a later press answers it.
      if ((await page.getByTestId('submit').getAttribute('data-state')) === 'asking') {
        await page.waitForTimeout(ASKED_MS);
        text = await click();
      }
      const answer = (await (await answered).json()) as { orderHash: string };
      await page.unroute('**/api/v1/orders');
      return { said: readButton(text), orderHash: answer.orderHash };
    };
    const settled = () => page.locator('[data-testid=order-life][data-stage=settled]').first().waitFor(TIMEOUT);

    it('charges at most its figure when the seller reprices before the order arrives', async () => {
      await openMarket([{ side: 'sell', price: '55c', size: '100' }]);
      await page.getByTestId('size').fill('50');
      await ready();
      const before = await balance();
      const { said } = await press(() => replaceQuotes([{ side: 'sell', price: '55.5c', size: '100' }]));
      await settled();
      const paid = before - (await balance());
      expect(paid, said.text).toBeGreaterThan(0n);
      expect(paid, said.text).toBeLessThanOrEqual(said.dollars ?? 0n);
      expect(paid, said.text).toBeLessThanOrEqual(50_000_000n);
    });

    it('charges at most its figure when more shares are offered before the order arrives', async () => {
      await openMarket([{ side: 'sell', price: '40c', size: '5' }]);
      await page.getByTestId('size').fill('50');
      await ready();
      const before = await balance();
      const { said } = await press(() =>
        place.sandbox.quote(marketId, [{ side: 'sell', price: '40.25c', size: '300' }], ADVERSARY),
      );
      await settled();
      const paid = before - (await balance());
      expect(paid, said.text).toBeGreaterThanOrEqual(2_000_000n);
      expect(paid, said.text).toBeLessThanOrEqual(said.dollars ?? 0n);
    });

    it('sells no share for less than it says when bids drop before the order arrives', async () => {
      await openMarket([{ side: 'buy', price: '53c', size: '100' }], '100');
      await choose('Sell');
      await seeHeld(100_000_000n);
      await page.getByTestId('size').fill('100');
      await ready();
      const before = await balance();
      const { said } = await press(() => replaceQuotes([{ side: 'buy', price: '52.5c', size: '300' }]));
      await settled();
      const got = (await balance()) - before;
      expect(said.shares, said.text).toBe(100_000_000n);
      expect(got, said.text).toBeGreaterThanOrEqual(leastOf(said, 100_000_000n));
    });

    it('sells no more shares than it says when more bids arrive before the order', async () => {
      await openMarket([{ side: 'buy', price: '53c', size: '20' }], '100');
      await choose('Sell');
      await seeHeld(100_000_000n);
      await page.getByTestId('size').fill('100');
      await ready();
      const { said } = await press(() =>
        place.sandbox.quote(marketId, [{ side: 'buy', price: '52.75c', size: '300' }], ADVERSARY),
      );
      await settled();
      const { yesShares } = await place.sandbox.reader.getPosition(marketId, address);
      expect(100_000_000n - BigInt(yesShares), said.text).toBeLessThanOrEqual(said.shares ?? 0n);
    });

    it('counts shares that an open order offers as sold: others may take them before the order arrives', async () => {
      await openMarket([{ side: 'buy', price: '53c', size: '100' }], '100');
      await trader.placeOrder({ marketId, side: 'sell', price: '60c', size: '70' });
      await page.getByTestId('tab-orders').filter({ hasText: '1' }).waitFor(TIMEOUT);
      await choose('Sell');
      await page.getByTestId('size').fill('100');
      await ready();
      const before = await balance();
      const { said } = await press(async () => {
        await place.sandbox.client('taker').placeOrder({ marketId, side: 'buy', price: '60c', size: '70' });
      });
      await settled();
      const change = () => balance().then((after) => after - before);
      // 70 shares of the older order at 60 cents, and 100 at 53, of which 70 had to be minted.
      await expect.poll(change, { timeout: 120_000 }).toBe(42_000_000n + 53_000_000n - 70_000_000n);
      expect(said.text).toBe('Sell 100 YES (70 short) for at most $33.28');
    });

    it('counts a cancelled order as sold no longer, even if a list that was read before arrives after', async () => {
      await openMarket([{ side: 'sell', price: '40c', size: '500' }], '10');
      await choose('Sell');
      await nameOwnPrice(page, '60');
      await page.getByTestId('size').fill('4');
      await ready();
      const lists = /\/api\/v1\/orders\?/;
      let release = () => {};
      const cancelled = new Promise<void>((resolve) => {
        release = resolve;
      });
      const isRead = new Promise<void>((resolve) => {
        void page.route(lists, async (route) => {
          const response = await route.fetch();
          if ((await response.text()).includes(marketId)) {
            resolve();
            await cancelled;
          }
          await route.fulfill({ response });
        });
      });
      await page.getByTestId('submit').click();
      const life = page.getByTestId('order-life').first();
      await life.getByText('Rests in the book.').waitFor(TIMEOUT);
      await page.getByTestId('ticket').getByText('Free 6 of 10', { exact: true }).waitFor(TIMEOUT);
      await isRead;
      await trader.cancelAll({ marketId });
      await seeHeld(10_000_000n);
      await life.getByText('Cancelled.').waitFor(TIMEOUT);
      const late = page.waitForResponse(lists, TIMEOUT);
      release();
      await (await late).finished();
      await page.unroute(lists);
      await page.waitForTimeout(200);
      expect(await textOf(page, 'ticket')).toContain('You hold 10');
    });

    it('refuses a decimal comma with words, and sends nothing', async () => {
      await openMarket([{ side: 'sell', price: '40c', size: '500' }]);
      await seeLiveBook(page);
      const sent: string[] = [];
      await page.route('**/api/v1/orders', async (route) => {
        sent.push(route.request().method());
        await route.continue();
      });
      for (const [typed, words] of [
        ['1,5', 'Use a point for decimals: 1.5'],
        ['1.234,56', 'Use a point for decimals: 1234.56'],
        ['1,234', 'Write 1234, or 1.234'],
      ] as const) {
        await page.getByTestId('size').fill(typed);
        // The market may still be loading.
        await page.getByTestId('why').getByText(words).waitFor(TIMEOUT);
        expect.soft(await textOf(page, 'submit')).toBe('Check the order');
        await page.getByTestId('size').press('Enter');
        await page.getByTestId('submit').click({ force: true });
      }
      await choose('+$10');
      expect(await page.getByTestId('size').inputValue()).toBe('1,234');
      await nameOwnPrice(page, '39,5');
      await page.getByTestId('size').fill('10');
      expect.soft(await textOf(page, 'why')).toContain('Use a point for decimals: 39.5');
      await page.getByTestId('size').press('Enter');
      await openDetails(page);
      await page.getByTestId('pairs-amount').fill('1,5');
      expect.soft(await textOf(page, 'pairs-problem')).toBe('Use a point for decimals: 1.5.');
      expect.soft(await page.getByTestId('split').isDisabled()).toBe(true);
      await page.getByTestId('pairs-amount').fill('');
      await page.getByTestId('open-sandbox').click();
      await page.getByLabel('Price in dollars').fill('1,5');
      await page.getByText('Hold it', { exact: true }).click();
      expect.soft(await textOf(page, 'sandbox-note')).toBe('Use a point for decimals: 1.5.');
      await page.keyboard.press('Escape');
      // The next order is the first one that is sent.
      await page.getByTestId('price').fill('39.5');
      await ready();
      await page.getByTestId('submit').click();
      await page.locator('[data-testid=order-life][data-stage=resting]').first().waitFor(TIMEOUT);
      await page.unroute('**/api/v1/orders');
      expect(sent).toEqual(['POST']);
      await trader.cancelAll({ marketId });
    });

    it(`is never broken in ${ROUNDS} random tickets on random books, seed ${SEED}`, async () => {
      const random = new SeededRandom(SEED);
      await openMarket([{ side: 'sell', price: '99c', size: '1' }], PAIRS);
      let expected = await balance();
      // Computed from the fills: what the service reports changes once more when a trade settles.
      const holdings = { YES: parseMillionths(PAIRS) ?? 0n, NO: parseMillionths(PAIRS) ?? 0n };
      let [lastTrade, traded] = [0, 0];
      for (let round = 0; round < ROUNDS; round++) {
        const middle = random.int(30, 960) * 1_000;
        const outcome = random.pick(['YES', 'NO'] as const);
        await replaceQuotes(randomBook(random, outcome, middle));
        const held = holdings[outcome];
        const ticket = await typeRandom(random, outcome, middle, held);
        await ready();
        const moved = movedBook(random, outcome, middle);
        const { said, orderHash } = await press(() => replaceQuotes(moved));
        await fillRest(random, ticket.side, outcome, orderHash);
        const fills = await tradesAfter(lastTrade);
        lastTrade = Math.max(lastTrade, ...fills.map(({ id }) => id));
        traded += fills.length > 0 ? 1 : 0;
        const label = `seed ${SEED}, round ${round}: ${JSON.stringify(ticket)}, "${said.text}", ${JSON.stringify(fills)}`;
        const value = fills.reduce((sum, fill) => sum + costOf(toPrice(fill.price), toSize(fill.size)), 0n);
        const size = fills.reduce((sum, fill) => sum + BigInt(fill.size), 0n);
        if (ticket.side === 'buy') {
          expect(value, label).toBeLessThanOrEqual(said.dollars ?? -1n);
          if (ticket.unit === 'dollars') expect(value, label).toBeLessThanOrEqual(parseMillionths(ticket.amount) ?? 0n);
          expected -= value;
          holdings[outcome] += size;
        } else {
          const minted = size > held ? size - held : 0n;
          expect(size, label).toBeLessThanOrEqual(said.shares ?? -1n);
          // Whoever pays for shares that they do not hold is told the dollars; whoever sells their own, the price.
          if (said.dollars !== undefined) expect(minted - value, label).toBeLessThanOrEqual(said.dollars ?? -1n);
          else expect(value, label).toBeGreaterThanOrEqual(leastOf(said, size));
          expected += value - minted;
          holdings[outcome] -= size - minted;
          holdings[outcome === 'YES' ? 'NO' : 'YES'] += minted;
        }
      }
      expect(traded).toBeGreaterThan(ROUNDS / 2);
      await expect.poll(balance, { timeout: 120_000 }).toBe(expected);
    });

    /** A ticket near the middle of the book; the answer says what was typed. */
    const typeRandom = async (random: SeededRandom, outcome: 'YES' | 'NO', middle: number, held: bigint) => {
      const side = random.pick(['buy', 'sell'] as const);
      const unit = side === 'buy' ? random.pick(['dollars', 'shares'] as const) : 'shares';
      const amount = fromMillionths(random.int(20_000, 60_000_000));
      const limit = random.chance(0.5) ? fromMillionths((middle + random.int(-30, 30) * 1_000) * 100) : undefined;
      await openScreen(page, '/portfolio');
      await openScreen(page, `/m/${marketId}`);
      await page.getByTestId(`outcome-${outcome}`).click(TIMEOUT);
      await choose(side === 'buy' ? 'Buy' : 'Sell');
      if (unit === 'shares' && side === 'buy') await page.getByTestId('unit').click();
      if (limit !== undefined) await nameOwnPrice(page, limit);
      await page.getByTestId('size').fill(amount);
      if (side === 'sell') await seeHeld(held);
      return { side, unit, outcome, amount, limit };
    };

    /** Others take what rests of the order, in odd pieces at its own price. */
    const fillRest = async (random: SeededRandom, side: 'buy' | 'sell', outcome: 'YES' | 'NO', orderHash: string) => {
      const order = await place.sandbox.reader.getOrder(orderHash);
      if (order.status === 'open') {
        const rest = Number(order.remainingSize);
        const pieces = [random.int(1, rest), random.int(1, rest), random.int(1, rest)];
        for (const piece of pieces) {
          await place.sandbox.client('taker').placeOrder({
            marketId,
            outcome,
            side: side === 'buy' ? 'sell' : 'buy',
            price: BigInt(order.price),
            size: BigInt(piece),
            timeInForce: 'IOC',
          });
        }
      }
      await trader.cancelAll({ marketId });
    };
    /** The trader's trades in this market after the one named. */
    const tradesAfter = async (id: number) => {
      const { trades } = await place.sandbox.reader.listTrades(marketId);
      return trades
        .filter((trade) => Number(trade.id) > id && [trade.maker, trade.taker].includes(address))
        .map((trade) => ({ id: Number(trade.id), price: Number(trade.price), size: Number(trade.size) }));
    };

    it('caused no error in the browser console', () => {
      expect(visit.complaints).toEqual([]);
    });
  });
}

/** One to four levels on either side of the middle, of odd sizes, bids below asks. */
function randomBook(random: SeededRandom, outcome: 'YES' | 'NO', middle: number): Quote[] {
  const level = (side: 'buy' | 'sell', distance: number): Quote => ({
    outcome,
    side,
    price: fromMillionths(Math.min(999_999, Math.max(1, middle + (side === 'sell' ? distance : -distance)))),
    size: fromMillionths(random.int(1_000_000, 40_000_000)),
  });
  const side = (name: 'buy' | 'sell') =>
    Array.from({ length: random.int(1, 4) }, (_, index) => level(name, 1_000 + index * random.int(0, 4_000)));
  return [...side('sell'), ...side('buy')];
}

/** The same book a little dearer or cheaper, often within what an immediate order allows, and often deeper. */
function movedBook(random: SeededRandom, outcome: 'YES' | 'NO', middle: number): Quote[] {
  const moved = randomBook(random, outcome, Math.min(990_000, Math.max(10_000, middle + random.int(-6_000, 6_000))));
  return random.chance(0.5)
    ? moved
    : moved.map((quote) => ({ ...quote, size: fromMillionths(random.int(1, 300_000_000)) }));
}
