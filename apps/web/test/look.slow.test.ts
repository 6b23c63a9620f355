// The page's look: no accessibility faults and no sideways scroll on any screen, at any width, in any theme; a strict content policy.
import { isLongRun, QUICK_MARKETS } from '@presage/testkit';
import { CHROMIUM } from '@presage/testkit/chromium';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findFaults } from './accessibility.ts';
import { TestBrowser, type Visit } from './browser.ts';
import {
  expectNoSidewaysScroll,
  openScreen,
  seeLiveBook,
  seeLoaded,
  startDemoWallet,
  TIMEOUT,
} from './page-actions.ts';
import { WebSandbox } from './web-sandbox.ts';

const WIDTHS = [1440, 1024, 390, 320];
const THEMES = ['dark', 'light'] as const;
/** Wide and narrow, dark and light. Screens take them in turn, in the long run all with both themes: half of the run was axe. */
const PAIRS = [
  [
    { width: 1440, theme: 'dark' },
    { width: 390, theme: 'light' },
  ],
  [
    { width: 1024, theme: 'light' },
    { width: 320, theme: 'dark' },
  ],
] as const;
const ALL = WIDTHS.flatMap((width) => THEMES.map((theme) => ({ width, theme })));
const HEIGHT = 900;
const [CLOSED_SECONDS, DISPUTE_SECONDS] = [3_600, 7_200];

describe.skipIf(CHROMIUM === undefined)('the page', () => {
  let sandbox: WebSandbox;
  let browser: TestBrowser;
  let visit: Visit;
  let page: Page;
  let marketPath: string;
  let decidedPath: string;
  let turn = 0;

  beforeAll(async () => {
    [sandbox, browser] = await Promise.all([WebSandbox.open(QUICK_MARKETS), TestBrowser.open()]);
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
    decidedPath = `/m/${await decideMarket()}`;
  });
  afterAll(async () => {
    await browser?.close();
    await sandbox?.close();
  });

  /** One that the wallet on the page has won, and not redeemed. */
  const decideMarket = async () => {
    const { id } = await sandbox.newMarket('Is it over?', CLOSED_SECONDS);
    await sandbox.quote(id);
    await openScreen(page, `/m/${id}`);
    await page.getByTestId('market-title').filter({ hasText: 'Is it over?' }).waitFor(TIMEOUT);
    await seeLiveBook(page);
    await page.getByTestId('size').fill('5.5');
    await page.locator('[data-testid=submit][data-state=ready]').waitFor(TIMEOUT);
    await page.getByTestId('submit').click();
    await page.locator('[data-testid=order-life][data-stage=settled]').waitFor(TIMEOUT);
    const proposer = sandbox.client('proposer');
    await sandbox.controls.advanceTime(CLOSED_SECONDS);
    await (await proposer.proposeResolution(id, 'YES')).wait();
    await sandbox.controls.advanceTime(DISPUTE_SECONDS + 1);
    await (await proposer.settleMarket(id)).wait();
    await page.getByTestId('redeem').waitFor(TIMEOUT);
    return id;
  };
  const resize = async (width: number, theme: 'dark' | 'light') => {
    await page.setViewportSize({ width, height: HEIGHT });
    await page.emulateMedia({ colorScheme: theme });
    await page.locator(`html[data-theme=${theme}]`).waitFor({ ...TIMEOUT, state: 'attached' });
  };
  const goTo = async (path: string, width: number, theme: 'dark' | 'light') => {
    await resize(width, theme);
    await openScreen(page, path);
    // Phones have no room for the word; what is wrong they say in a banner.
    await page.locator('[data-testid=conn][data-state=live]').waitFor({ ...TIMEOUT, state: 'attached' });
    await seeLoaded(page);
  };
  /** The window changes while the screen stays open, as when a telephone is turned. */
  const expectNoFaults = async (what: string) => {
    turn += 1;
    const looks = isLongRun ? ALL : PAIRS[turn % PAIRS.length]!;
    for (const width of WIDTHS) {
      await resize(width, 'dark');
      await expectNoSidewaysScroll(page);
      for (const { theme } of looks.filter((look) => look.width === width)) {
        await resize(width, theme);
        expect(await findFaults(page), `${what} at ${width} px, ${theme}`).toEqual([]);
      }
    }
  };
  const screens = {
    landing: () => '/',
    market: () => marketPath,
    'quick market': () => '/quick/BTC',
    'decided market': () => decidedPath,
    portfolio: () => '/portfolio',
    proof: () => '/proof',
    operator: () => '/operator',
  };

  for (const [name, path] of Object.entries(screens)) {
    it(`has no accessibility fault, and no sideways scroll at any width, on the ${name} screen`, async () => {
      await goTo(path(), 1440, 'dark');
      await expectNoFaults(name);
    });
  }

  it('lists the other markets beside one where the window is wide enough, without a fault', async () => {
    await goTo(marketPath, 1440, 'dark');
    expect(await page.getByTestId('market-list').count()).toBe(0);
    await resize(1720, 'dark');
    const current = page.getByTestId('market-list').locator('[aria-current=page]');
    await current.filter({ hasText: 'Can everybody read this' }).waitFor(TIMEOUT);
    await expectNoSidewaysScroll(page);
    expect(await findFaults(page)).toEqual([]);
  });

  for (const [name, testId] of [
    ['wallet menu', 'wallet'],
    ['sandbox', 'open-sandbox'],
  ] as const) {
    it(`has none in the ${name}`, async () => {
      await goTo(marketPath, 1440, 'dark');
      await page.getByTestId(testId).click();
      await page.locator('dialog[open]').waitFor(TIMEOUT);
      await expectNoFaults(name);
      await page.keyboard.press('Escape');
    });
  }

  it('has none in the help, the sheets of a phone and the other palette', async () => {
    await goTo(marketPath, 1440, 'dark');
    await page.keyboard.press('?');
    await page.locator('dialog[open]').waitFor(TIMEOUT);
    await expectNoFaults('help');
    await page.keyboard.press('Escape');
    await resize(1440, 'dark');
    await page.getByTestId('wallet').click();
    await page.getByTestId('palette').click();
    await page.keyboard.press('Escape');
    await expectNoFaults('palette');
    for (const [path, opener, width, usual] of [
      [marketPath, 'm-buy-no', 390, 'light'],
      [marketPath, 'm-buy-yes', 320, 'dark'],
      ['/', 'more', 390, 'dark'],
      ['/', 'more', 320, 'light'],
    ] as const) {
      for (const theme of isLongRun ? THEMES : [usual]) {
        await goTo(path, width, theme);
        await page.getByTestId(opener).click();
        await page.locator('dialog.sheet[open]').waitFor(TIMEOUT);
        await expectNoSidewaysScroll(page);
        expect(await findFaults(page), `${opener} at ${width} px, ${theme}`).toEqual([]);
        await page.keyboard.press('Escape');
      }
    }
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

  it('caused no error in the browser console', () => {
    expect(visit.complaints).toEqual([]);
    expect(visit.outside).toEqual([]);
  });
});
