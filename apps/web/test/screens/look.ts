// The page's look: no accessibility faults and no sideways scroll on any screen, at any width, in any theme; a strict content policy.
import { isLongRun } from '@presage/testkit';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { findFaults, type Search } from '../accessibility.ts';
import type { Visit } from '../browser.ts';
import { expectNoSidewaysScroll, openScreen, seeLoaded, TIMEOUT } from '../page-actions.ts';
import type { Place } from '../place.ts';
import { OPEN_QUESTION, type Scene } from './scene.ts';

const WIDTHS = [1440, 1024, 390, 320];
const THEMES = ['dark', 'light'] as const;
type Theme = (typeof THEMES)[number];
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
/** What another palette can spoil. */
const COLOURS = { rules: ['color-contrast', 'link-in-text-block'] };
/** What lies behind a dialog cannot be reached, and is a screen that is looked at without it, at every width. */
const DIALOG: Search = isLongRun ? {} : { within: 'dialog[open]' };

export function testLook(place: Place, scene: () => Scene): void {
  describe('the page', () => {
    let visit: Visit;
    let page: Page;
    let marketPath: string;
    let decidedPath: string;
    let turn = 0;

    beforeAll(async () => {
      const { openId, decidedId, client, eventId } = scene();
      // NO of two outcomes, which can be converted.
      const { outcomes } = await client.getEvent(eventId);
      for (const { marketId } of outcomes.slice(0, 2)) await (await client.split(marketId, '12')).wait();
      ({ visit } = scene());
      ({ page } = visit);
      [marketPath, decidedPath] = [`/m/${openId}`, `/m/${decidedId}`];
    });

    const widen = (width: number) => page.setViewportSize({ width, height: HEIGHT });
    const paint = async (theme: Theme) => {
      await page.emulateMedia({ colorScheme: theme });
      await page.locator(`html[data-theme=${theme}]`).waitFor({ ...TIMEOUT, state: 'attached' });
    };
    /** In the window as it is. */
    const goTo = async (path: string) => {
      await openScreen(page, path);
      // Phones have no room for the word; what is wrong they say in a banner.
      await page.locator('[data-testid=conn][data-state=live]').waitFor({ ...TIMEOUT, state: 'attached' });
      await seeLoaded(page);
    };
    /** The window changes while the screen stays open, as when a telephone is turned; from wide to narrow, the next time back. */
    const expectNoFaults = async (what: string, search: Search = {}) => {
      turn += 1;
      const looks = isLongRun ? ALL : PAIRS[turn % PAIRS.length]!;
      const widths = search.within === undefined ? WIDTHS : looks.map(({ width }) => width);
      for (const width of turn % 2 === 1 ? widths : widths.toReversed()) {
        await widen(width);
        await expectNoSidewaysScroll(page);
        for (const { theme } of looks.filter((look) => look.width === width)) {
          await paint(theme);
          expect(await findFaults(page, search), `${what} at ${width} px, ${theme}`).toEqual([]);
        }
      }
    };
    const screens = {
      landing: () => '/',
      market: () => marketPath,
      'quick market': () => '/quick/BTC',
      'decided market': () => decidedPath,
      event: () => `/e/${scene().eventId}`,
      'decided event': () => `/e/${scene().decidedEventId}`,
      portfolio: () => '/portfolio',
      leaderboard: () => '/leaderboard',
      'public wallet': () => `/wallet/${scene().address}`,
      proof: () => '/proof',
      operator: () => '/operator',
    };

    for (const [name, path] of Object.entries(screens)) {
      it(`has no accessibility fault, and no sideways scroll at any width, on the ${name} screen`, async () => {
        await goTo(path());
        await expectNoFaults(name);
      });
    }

    it('keeps the filters of a phone apart, and tells the whole text of a title that is cut', async () => {
      await widen(390);
      await goTo('/');
      const filters = page.locator('.filters');
      const [chips, select] = await Promise.all(
        [filters.locator('.chips'), filters.locator('select')].map((each) => each.boundingBox()),
      );
      expect((select?.y ?? 0) - (chips?.y ?? 0) - (chips?.height ?? 0)).toBeGreaterThanOrEqual(8);
      const links = page.getByTestId('market-card').locator('[data-row]');
      expect(await links.first().getAttribute('title')).toBe(await links.first().innerText());
    });

    it('lists the other markets beside one where the window is wide enough, without a fault', async () => {
      await widen(1440);
      await goTo(marketPath);
      expect(await page.getByTestId('market-list').count()).toBe(0);
      await widen(1720);
      const current = page.getByTestId('market-list').locator('[aria-current=page]');
      await current.filter({ hasText: OPEN_QUESTION }).waitFor(TIMEOUT);
      await expectNoSidewaysScroll(page);
      // The rest is what it was beside it.
      const list = isLongRun ? {} : { within: '[data-testid=market-list]' };
      expect(await findFaults(page, list)).toEqual([]);
    });

    for (const [name, testId] of [
      ['wallet menu', 'wallet'],
      ['sandbox', 'open-sandbox'],
    ] as const) {
      it(`has none in the ${name}`, async () => {
        await widen(1440);
        await goTo(marketPath);
        await page.getByTestId(testId).click();
        await page.locator('dialog[open]').waitFor(TIMEOUT);
        await page.locator('dialog[open] [data-state=loading]').waitFor({ ...TIMEOUT, state: 'detached' });
        await expectNoFaults(name, DIALOG);
        await page.keyboard.press('Escape');
      });
    }

    it('has none in the help, the sheets of a phone and the other palette', async () => {
      await widen(1440);
      await goTo(marketPath);
      await page.keyboard.press('?');
      await page.locator('dialog[open]').waitFor(TIMEOUT);
      await expectNoFaults('help', DIALOG);
      await page.keyboard.press('Escape');
      await widen(1440);
      await page.getByTestId('wallet').click();
      await page.getByTestId('palette').click();
      await page.keyboard.press('Escape');
      for (const { width, theme } of isLongRun ? ALL : PAIRS[0]) {
        await widen(width);
        await paint(theme);
        expect(await findFaults(page, COLOURS), `palette at ${width} px, ${theme}`).toEqual([]);
      }
      for (const [path, opener, width, usual] of [
        [marketPath, 'm-buy-no', 390, 'light'],
        [marketPath, 'm-buy-yes', 320, 'dark'],
        ['/', 'more', 390, 'dark'],
        ['/', 'more', 320, 'light'],
      ] as const) {
        for (const theme of isLongRun ? THEMES : [usual]) {
          await widen(width);
          await paint(theme);
          await goTo(path);
          await page.getByTestId(opener).click();
          await page.locator('dialog.sheet[open]').waitFor(TIMEOUT);
          await expectNoSidewaysScroll(page);
          expect(await findFaults(page, DIALOG), `${opener} at ${width} px, ${theme}`).toEqual([]);
          await page.keyboard.press('Escape');
        }
      }
    });

    it('is served with a strict content policy, and its files are cacheable forever', async () => {
      const answer = await fetch(place.sandbox.url + marketPath);
      expect(answer.headers.get('content-security-policy')).toMatch(/default-src 'none'; script-src 'self';/);
      expect(answer.headers.get('cache-control')).toBe('no-cache');
      const script = /src="(\/assets\/[^"]+\.js)"/.exec(await answer.text())?.[1];
      const file = await fetch(place.sandbox.url + script, { headers: { 'accept-encoding': 'gzip' } });
      expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(file.headers.get('content-encoding')).toBe('gzip');
      for (const path of ['/api/v1/nothing', '/sandbox/nothing', '/assets/nothing.js', '/assets/..%2findex.html']) {
        const missing = await fetch(place.sandbox.url + path);
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
}
