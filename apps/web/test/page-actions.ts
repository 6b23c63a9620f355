// Actions on the page that its tests repeat.

import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Generous, since the machine may be busy; no test measures time by it. */
export const TIMEOUT = { timeout: 120_000 };

export async function seeLiveBook(page: Page): Promise<void> {
  await page.getByTestId('ask-0').waitFor(TIMEOUT);
  await page.locator('[data-testid=conn][data-state=live]').waitFor(TIMEOUT);
}

/** The screen of a path's first part, where it has another name. */
const SCREENS: Readonly<Record<string, string>> = { '': 'landing', m: 'market', e: 'event' };

/** Goes to a screen as links do, without loading the page anew: a load takes several times as much. */
export async function openScreen(page: Page, path: string): Promise<void> {
  const [, section = ''] = path.split('/');
  await page.evaluate(`history.pushState(null, '', '${path}'); dispatchEvent(new PopStateEvent('popstate'))`);
  await page.locator(`main[data-screen=${SCREENS[section] ?? section}]`).waitFor(TIMEOUT);
}

/** No part of the screen waits for its first data any more. */
export async function seeLoaded(page: Page): Promise<void> {
  await page.locator('main[data-screen]').waitFor(TIMEOUT);
  await page
    .locator('main [data-state=loading]')
    .first()
    .waitFor({ ...TIMEOUT, state: 'detached' });
}

/** One click; the wallet is funded with test money. */
export async function startDemoWallet(page: Page): Promise<void> {
  await page.getByTestId('fix-demo-wallet').click(TIMEOUT);
  await page.getByTestId('wallet').filter({ hasText: '$1,000.00' }).waitFor(TIMEOUT);
}

/** In wide windows they lie over the buttons of a resolution: a success for five seconds, a failure until it is dismissed. */
export async function dismissMessages(page: Page): Promise<void> {
  await page.evaluate("document.querySelectorAll('[data-testid=toast] button').forEach((button) => button.click())");
}

/** Every stage that the newest order shows from now on, in order, each once. */
export async function recordStages(page: Page): Promise<() => Promise<string[]>> {
  await page.evaluate(`
    window.stages = [];
    new MutationObserver(() => {
      const stage = document.querySelector('[data-testid=order-life]')?.dataset.stage;
      if (stage && window.stages.at(-1) !== stage) window.stages.push(stage);
    }).observe(document.body, { subtree: true, childList: true, attributes: true, attributeFilter: ['data-stage'] });
  `);
  return () => page.evaluate('window.stages');
}

export async function textOf(page: Page, testId: string): Promise<string> {
  return (await page.getByTestId(testId).first().innerText()).replaceAll(/\s+/g, ' ').trim();
}

/** The document is not wider than the window, as soon as what follows the window's size, such as a chart, has done so. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const excess = () =>
    page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth') as Promise<number>;
  await expect.poll(excess).toBeLessThanOrEqual(0);
}

/** As the wallet menu shows it. */
export async function demoAddress(page: Page): Promise<string> {
  await page.getByTestId('wallet').click();
  const address = await page.getByTestId('wallet-dialog').locator('[title^="0x"]').getAttribute('title');
  await page.keyboard.press('Escape');
  return address ?? '';
}

/** Makes it a limit order, and names its price. */
export async function nameOwnPrice(page: Page, cents: string): Promise<void> {
  const price = page.getByTestId('price');
  if ((await price.count()) === 0) {
    await page.getByTestId('ticket').getByText('Limit', { exact: true }).click(TIMEOUT);
  }
  await price.fill(cents);
}

/** Unfolds the ticket's exact figures and its pairs. */
export async function openDetails(page: Page): Promise<void> {
  const fold = page.getByTestId('advanced');
  if ((await fold.getAttribute('open')) === null) await fold.locator('summary').click(TIMEOUT);
}

/** A token's colour as the browser computes it. */
export async function colourOf(page: Page, token: string): Promise<string> {
  return page.evaluate(`(() => {
    const probe = document.createElement('i');
    probe.style.color = 'var(${token})';
    document.body.append(probe);
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  })()`);
}
