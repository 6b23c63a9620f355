// Actions on the page that its tests repeat.

import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Generous, since the machine may be busy; no test measures time by it. */
export const TIMEOUT = { timeout: 45_000 };

export async function seeLiveBook(page: Page): Promise<void> {
  await page.getByTestId('ask-0').waitFor(TIMEOUT);
  await page.locator('[data-testid=conn][data-state=live]').waitFor(TIMEOUT);
}

/** One click; the wallet is funded with test money. */
export async function startDemoWallet(page: Page): Promise<void> {
  await page.getByTestId('fix-demo-wallet').click(TIMEOUT);
  await page.getByTestId('wallet').filter({ hasText: '1,000.00 USDC' }).waitFor(TIMEOUT);
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

/** The document is not wider than the window. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const [content, window] = (await page.evaluate(
    '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
  )) as [number, number];
  expect(content).toBeLessThanOrEqual(window);
}

/** As the wallet menu shows it. */
export async function demoAddress(page: Page): Promise<string> {
  await page.getByTestId('wallet').click();
  const address = await page.getByTestId('wallet-dialog').locator('[title^="0x"]').getAttribute('title');
  await page.keyboard.press('Escape');
  return address ?? '';
}
