// Copying where the browser lets a page, and where it does not: over plain http there is no clipboard.
import { afterEach, describe, expect, it, vi } from 'vitest';
import { copyText } from '../src/state/copy-text.ts';
import { Toasts } from '../src/state/toasts.ts';

afterEach(() => vi.unstubAllGlobals());

async function copy(clipboard: object | undefined) {
  vi.stubGlobal('navigator', { clipboard });
  const toasts = new Toasts();
  await copyText(toasts, { what: 'Link', text: 'http://here/m/1' });
  return toasts.list.get()[0];
}

describe('a copied text', () => {
  it('is on the clipboard', async () => {
    const writeText = vi.fn(async () => undefined);
    expect(await copy({ writeText })).toMatchObject({ tone: 'ok', title: 'Link copied' });
    expect(writeText).toHaveBeenCalledWith('http://here/m/1');
  });

  it.each([
    ['there is no clipboard', undefined],
    ['the browser refuses it', { writeText: () => Promise.reject(new Error('no')) }],
  ])('is shown where %s', async (_where, clipboard) => {
    expect(await copy(clipboard)).toMatchObject({ tone: 'warn', title: 'Link not copied', text: 'http://here/m/1' });
  });
});
