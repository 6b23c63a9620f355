// The page's speed: small scripts, nothing that jumps while it loads, no long tasks while the book changes; the times are printed.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isLongRun } from '@presage/testkit';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Visit } from '../browser.ts';
import { findLongTasks } from '../long-tasks.ts';
import { seeLiveBook, seeLoaded } from '../page-actions.ts';
import type { Place } from '../place.ts';

const ASSETS = fileURLToPath(new URL('../../dist/assets/', import.meta.url));
const SCRIPT_BUDGET_BYTES = 240_000;
/** Events, leaderboard, wallets and proof, which load in one script when the first of them is opened. */
const LAZY_BUDGET_BYTES = 12_000;
/** Three seconds' worth of sixty a second; in the long run ten. */
const UPDATES = isLongRun ? 600 : 180;
const BATCH = 20;
const LONG_TASK_MS = 50;
const MOST_SHIFT = 0.05;
/** After the first data came: what moves then is what the visitor has begun to read. */
const SETTLE_MS = 1_500;

/** Gathers what the browser reports about itself, from the first byte on. */
const OBSERVE = `
  window.shifts = [];
  window.longTasks = [];
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifts.push(entry.value);
  }).observe({ type: 'layout-shift', buffered: true });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) window.longTasks.push(Math.round(entry.duration));
  }).observe({ type: 'longtask', buffered: true });
`;

export function testSpeed(place: Place): void {
  describe('the speed of the page', () => {
    let marketId: string;
    let visit: Visit;
    let page: Page;

    beforeAll(async () => {
      marketId = (await place.sandbox.newMarket('Does anything jump while it loads?')).id;
      await place.sandbox.quote(marketId);
      await place.sandbox.client('taker').placeOrder({ marketId, side: 'buy', price: '55c', size: '25' });
      // A visitor who has never been here, whichever screen they open, and whom nothing keeps from seeing things move.
      visit = await place.browser.visit('about:blank', { reducedMotion: 'no-preference' });
      page = visit.page;
      const session = await page.context().newCDPSession(page);
      await session.send('Network.enable');
      await session.send('Network.setCacheDisabled', { cacheDisabled: true });
      await page.addInitScript(OBSERVE);
    });
    afterAll(() => visit?.close());

    const load = async (path: string) => {
      await page.goto(place.sandbox.url + path);
      await seeLoaded(page);
    };

    it('loads no more than 240 kB of script for trading, and 12 kB for the screens that come when they are asked for', async () => {
      const sizeOf = async (isWanted: (name: string) => boolean) => {
        const names = (await readdir(ASSETS)).filter((name) => name.endsWith('.js.gz') && isWanted(name));
        const sizes = await Promise.all(names.map(async (name) => (await readFile(join(ASSETS, name))).length));
        return sizes.reduce((sum, size) => sum + size, 0);
      };
      // The operator's screen and the verifier are for few, and load by themselves.
      const trading = await sizeOf((name) => !/^(verify|operator|lazy-screens)-/.test(name));
      const lazy = await sizeOf((name) => name.startsWith('lazy-screens-'));
      console.log(`script: ${trading} bytes gzip, ${lazy} more for screens loaded later`);
      expect(trading).toBeLessThanOrEqual(SCRIPT_BUDGET_BYTES);
      expect(lazy).toBeLessThanOrEqual(LAZY_BUDGET_BYTES);
    });

    for (const width of [390, 1440]) {
      it(`moves nothing while a screen loads at ${width} px`, async () => {
        await page.setViewportSize({ width, height: 900 });
        // Opened on phones by few.
        const atDesks = width === 1440 || isLongRun ? ['/leaderboard', '/proof', '/operator'] : [];
        for (const path of ['/', '/quick/BTC', '/portfolio', ...atDesks, `/m/${marketId}`]) {
          await load(path);
          await page.waitForTimeout(SETTLE_MS);
          const shifts = (await page.evaluate('window.shifts')) as number[];
          const shift = shifts.reduce((sum, value) => sum + value, 0);
          const paint = (await page.evaluate(
            "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0",
          )) as number;
          const name = path.startsWith('/m/') ? '/m/:id' : path;
          console.log(`${name} at ${width} px: shift ${shift.toFixed(4)}, first paint ${Math.round(paint)} ms`);
          expect(shift, `${name} at ${width} px`).toBeLessThan(MOST_SHIFT);
        }
      });
    }

    it(`paints ${UPDATES} book updates without a long task`, async () => {
      if (!page.url().endsWith(marketId)) await load(`/m/${marketId}`);
      await seeLiveBook(page);
      const seq = async () => Number(await page.getByTestId('book').getAttribute('data-seq'));
      const before = await seq();
      await page.evaluate('window.longTasks.length = 0');
      const trace = await place.browser.trace(page, async () => {
        for (let sent = 0; sent < UPDATES; sent += BATCH) {
          const quotes = Array.from({ length: BATCH }, (_, index) => {
            const price = 30 + ((sent + index) % 200) / 10;
            return { side: 'buy' as const, price: `${price.toFixed(1)}c`, size: '5' };
          });
          await place.sandbox.quote(marketId, quotes, 'storm');
        }
        await expect.poll(seq, { timeout: 120_000 }).toBeGreaterThanOrEqual(before + UPDATES);
      });
      // By the clock a busy machine makes any task long; by processor time only the page does.
      const observed = (await page.evaluate('window.longTasks')) as number[];
      console.log(`long tasks by the browser's clock: ${observed.length === 0 ? 'none' : `${observed.join(', ')} ms`}`);
      expect(findLongTasks(trace, LONG_TASK_MS)).toEqual([]);
    });
  });
}
