// The page's quality: no accessibility faults at any width or theme, no sideways scroll, small scripts, no long tasks.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM, TestBrowser, type Visit } from './browser.ts';
import { findLongTasks } from './long-tasks.ts';
import { expectNoSidewaysScroll, seeLiveBook, startDemoWallet, TIMEOUT } from './page-actions.ts';
import { WebSandbox } from './web-sandbox.ts';

const ASSETS = fileURLToPath(new URL('../dist/assets/', import.meta.url));
const SCRIPT_BUDGET_BYTES = 230_000;
const WIDTHS = [1440, 1024, 390, 320];
const THEMES = ['dark', 'light'] as const;
const isLong = process.env.PRESAGE_TEST_LONG === '1';
/** Book changes while the trace runs: ten seconds' worth of sixty a second, or three. */
const UPDATES = isLong ? 600 : 180;
const BATCH = 20;

describe.skipIf(CHROMIUM === undefined)('the page', () => {
  let sandbox: WebSandbox;
  let browser: TestBrowser;
  let visit: Visit;
  let page: Page;
  let marketPath: string;

  beforeAll(async () => {
    [sandbox, browser] = await Promise.all([WebSandbox.open(), TestBrowser.open()]);
    const { id } = await sandbox.newMarket('Can everybody read this, also those who cannot see it?');
    marketPath = `/m/${id}`;
    await sandbox.quote(id);
    await sandbox.client('taker').placeOrder({ marketId: id, side: 'buy', price: '55c', size: '25' });
    visit = await browser.visit(sandbox.url + marketPath);
    page = visit.page;
    await seeLiveBook(page);
    await startDemoWallet(page);
    for (const dollars of ['10', '220']) {
      await page.getByTestId('ask-0').click();
      await page.getByTestId('size').fill(dollars);
      await page.getByTestId('submit').click();
      await page.locator('[data-testid=size][value=""]').waitFor(TIMEOUT);
    }
    await page.getByTestId('position-YES').waitFor(TIMEOUT);
  });
  afterAll(async () => {
    await browser?.close();
    await sandbox?.close();
  });

  const goTo = async (path: string, width: number, theme: 'dark' | 'light') => {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme: theme });
    await page.goto(sandbox.url + path);
    await page.locator('main[data-screen]').waitFor(TIMEOUT);
    // Phones have no room for the word; what is wrong they say in a banner.
    await page.locator('[data-testid=conn][data-state=live]').waitFor({ ...TIMEOUT, state: 'attached' });
    await page
      .locator('main [data-state=loading]')
      .first()
      .waitFor({ ...TIMEOUT, state: 'detached' });
  };
  const faults = async () => {
    const { violations } = await new AxeBuilder({ page }).analyze();
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
  };

  for (const width of WIDTHS) {
    it(`has no accessibility fault and no sideways scroll on any screen at ${width} px, dark and light`, async () => {
      for (const theme of THEMES) {
        // The screens differ in content, the widths in layout: all of them at full size, the corners otherwise.
        const isCorner = isLong || (width === 1440 && theme === 'dark') || (width === 320 && theme === 'light');
        for (const path of ['/', marketPath, ...(isCorner ? ['/quick/BTC', '/portfolio', '/operator'] : [])]) {
          await goTo(path, width, theme);
          await expectNoSidewaysScroll(page);
          expect(await faults(), `${path} at ${width} px, ${theme}`).toEqual([]);
        }
      }
    });
  }

  it('has no accessibility fault in its dialogs, its sheet and its other palette', async () => {
    await goTo(marketPath, 1440, 'dark');
    await page.getByTestId('wallet').click();
    await page.getByTestId('palette').click();
    expect(await faults(), 'palette').toEqual([]);
    await page.getByTestId('palette').click();
    await page.keyboard.press('Escape');
    for (const opener of ['wallet', 'open-sandbox']) {
      await page.getByTestId(opener).click();
      expect(await faults(), opener).toEqual([]);
      await page.keyboard.press('Escape');
    }
    await goTo(marketPath, 320, 'light');
    await page.getByTestId('m-buy-no').click();
    await page.locator('dialog.sheet[open]').getByTestId('submit').waitFor(TIMEOUT);
    await expectNoSidewaysScroll(page);
    expect(await faults(), 'sheet').toEqual([]);
  });

  it('loads no more than 230 kB of script, all chunks together', async () => {
    const names = (await readdir(ASSETS)).filter((name) => name.endsWith('.js.gz'));
    const sizes = await Promise.all(names.map(async (name) => (await readFile(join(ASSETS, name))).length));
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(SCRIPT_BUDGET_BYTES);
  });

  it('is served with a strict content policy, and its files are cacheable forever', async () => {
    const answer = await fetch(sandbox.url + marketPath);
    expect(answer.headers.get('content-security-policy')).toMatch(/default-src 'none'; script-src 'self';/);
    expect(answer.headers.get('cache-control')).toBe('no-cache');
    const script = /src="(\/assets\/[^"]+\.js)"/.exec(await answer.text())?.[1];
    const file = await fetch(sandbox.url + script, { headers: { 'accept-encoding': 'gzip' } });
    expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(file.headers.get('content-encoding')).toBe('gzip');
    for (const path of ['/api/v1/nothing', '/sandbox/nothing', '/assets/nothing.js', '/assets/..%2findex.html']) {
      const missing = await fetch(sandbox.url + path);
      expect([path, missing.status, missing.headers.get('content-type')]).toEqual([
        path,
        404,
        expect.stringContaining('json'),
      ]);
    }
  });

  it('paints a burst of book updates without a long task', async () => {
    await goTo(marketPath, 1440, 'dark');
    await seeLiveBook(page);
    const seq = async () => Number(await page.getByTestId('book').getAttribute('data-seq'));
    const before = await seq();
    const marketId = marketPath.slice('/m/'.length);
    const trace = await browser.trace(page, async () => {
      for (let sent = 0; sent < UPDATES; sent += BATCH) {
        const quotes = Array.from({ length: BATCH }, (_, index) => {
          const price = 30 + ((sent + index) % 200) / 10;
          return { side: 'buy' as const, price: `${price.toFixed(1)}c`, size: '5' };
        });
        await sandbox.quote(marketId, quotes, 'storm');
      }
      await expect.poll(seq, { timeout: 30_000 }).toBeGreaterThanOrEqual(before + UPDATES);
    });
    expect(findLongTasks(trace, 50)).toEqual([]);
  });

  it('caused no error in the browser console', () => {
    expect(visit.complaints).toEqual([]);
    expect(visit.outside).toEqual([]);
  });
});
