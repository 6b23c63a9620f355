// Keys that do something here, and those that are left to the browser.
import { afterEach, describe, expect, it, vi } from 'vitest';
import { actionOf } from '../src/app/key-actions.ts';
import type { Page } from '../src/state/page-context.ts';

afterEach(() => vi.unstubAllGlobals());

/** How far a key moves the price on a screen with or without its field; undefined if the browser has it. */
function press(key: string, screen: { hasPrice: boolean; focus: string }): number | undefined {
  vi.stubGlobal('document', {
    querySelector: (selector: string) => (selector === '[data-testid=price]' && screen.hasPrice ? {} : null),
    activeElement: { matches: (selector: string) => selector === screen.focus },
  });
  let moved: number | undefined;
  const page = { ticket: { stepPrice: (steps: number) => (moved = steps) } } as unknown as Page;
  actionOf({ key, shiftKey: true } as KeyboardEvent, page, () => undefined)?.();
  return moved;
}

describe('the arrow keys', () => {
  it.each([
    ['move the limit price', { hasPrice: true, focus: 'body' }, 10, -10],
    ['scroll where there is none', { hasPrice: false, focus: 'body' }, undefined, undefined],
    ['scroll the column that has the focus', { hasPrice: true, focus: '[tabindex="0"]' }, undefined, undefined],
  ])('%s', (_what, screen, up, down) => {
    expect([press('ArrowUp', screen), press('ArrowDown', screen)]).toEqual([up, down]);
  });
});
