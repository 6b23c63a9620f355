// Accessibility faults of what the page shows now, found by axe.
import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** Nobody reads what passed, so it is not collected, nor a selector for each element; nor sounds and films, of which there are none. */
const ONLY_FAULTS: axe.RunOptions = { resultTypes: ['violations'], selectors: false, preload: false };

/** A third of the search for contrast was the same few colours, parsed again for each element. */
const PARSE_COLOURS_ONCE = `{
  const { Color } = axe.commons.color;
  const { parseString } = Color.prototype;
  const parsed = new Map();
  Color.prototype.parseString = function (text) {
    if (!parsed.has(text)) parsed.set(text, parseString.call(new Color(0, 0, 0), text));
    const { r, g, b, alpha } = parsed.get(text);
    return Object.assign(this, { r, g, b, alpha });
  };
}`;

export interface Search {
  /** Selects the part to look at; everything when absent. */
  readonly within?: string;
  /** All when absent. */
  readonly rules?: string[];
}

/** One line for each rule that is broken, with the elements that break it. */
export async function findFaults(page: Page, { within, rules }: Search = {}): Promise<string[]> {
  // It stays until the page is loaded anew: half a megabyte to parse, and slow until the browser has compiled it.
  if (await page.evaluate("!('axe' in window)")) await page.evaluate(axe.source + PARSE_COLOURS_ONCE);
  const options = { ...ONLY_FAULTS, ...(rules && { runOnly: rules }) };
  const violations: axe.Result[] = await page.evaluate(
    `axe.run(${within === undefined ? 'document' : JSON.stringify(within)}, ${JSON.stringify(options)}).then(({ violations }) => violations)`,
  );
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
}
