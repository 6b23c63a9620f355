// The user's display preferences: the system's theme, and a palette for red-green colour blindness.
import { useSyncExternalStore } from 'react';
import { Store, useWatched } from './store.ts';

export type Palette = 'usual' | 'colour-blind';

/** Below this width the ticket is a sheet. */
export const PHONE = '(max-width: 767px)';

const PALETTE_KEY = 'presage.palette';
const light = matchMedia('(prefers-color-scheme: light)');
const palette = new Store<Palette>(localStorage.getItem(PALETTE_KEY) === 'colour-blind' ? 'colour-blind' : 'usual');

function showPalette(): void {
  document.documentElement.dataset.palette = palette.get();
}
showPalette();

export function setPalette(value: Palette): void {
  localStorage.setItem(PALETTE_KEY, value);
  palette.set(value);
  showPalette();
}

export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (listener) => {
      const media = matchMedia(query);
      media.addEventListener('change', listener);
      return () => media.removeEventListener('change', listener);
    },
    () => matchMedia(query).matches,
  );
}

export function usePreferences(): { readonly palette: Palette; readonly theme: 'light' | 'dark' } {
  return { palette: useWatched(palette), theme: useMedia(light.media) ? 'light' : 'dark' };
}
