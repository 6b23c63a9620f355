// Accessibility faults of what the page shows now, found by axe.
import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** Nobody reads what passed, so it is not collected, nor a selector for each element. */
const ONLY_FAULTS: axe.RunOptions = { resultTypes: ['violations'], selectors: false };

/** One line for each rule that is broken, with the elements that break it. */
export async function findFaults(page: Page): Promise<string[]> {
  // It stays until the page is loaded anew: half a megabyte to parse, and slow until the browser has compiled it.
  if (await page.evaluate("!('axe' in window)")) await page.evaluate(axe.source);
  const violations: axe.Result[] = await page.evaluate(
    `axe.run(document, ${JSON.stringify(ONLY_FAULTS)}).then(({ violations }) => violations)`,
  );
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
}
