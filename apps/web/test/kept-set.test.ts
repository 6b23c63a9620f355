// A set that is kept in the browser, also where the browser has no room for it.
import { afterEach, expect, it, vi } from 'vitest';
import { KeptSet } from '../src/state/kept-set.ts';

afterEach(() => vi.unstubAllGlobals());

it('changes for this tab where nothing can be kept', () => {
  const setItem = () => {
    throw new Error('full');
  };
  vi.stubGlobal('localStorage', { getItem: () => '["a"]', setItem });
  vi.stubGlobal('addEventListener', () => undefined);
  const set = new KeptSet('choice');
  set.toggle('a');
  expect([...set.store.get()]).toEqual([]);
});
