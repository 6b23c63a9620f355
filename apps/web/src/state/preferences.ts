// The user's display preferences: dark or light theme (the system's until the user chooses), colour-blind safe colours, UTC or local time.
import { useSyncExternalStore } from 'react';
import { showLocalTime } from '../lib/times.ts';
import { keepText, recallText } from './kept.ts';
import { Store, useWatched } from './store.ts';

export type Palette = 'usual' | 'colour-blind';
type Theme = 'dark' | 'light';
type Zone = 'utc' | 'local';

/** Width below which the ticket is a sheet and the main places are tabs at the bottom. */
export const PHONE = '(max-width: 899px)';

const PALETTE_KEY = 'presage.palette';
const THEME_KEY = 'presage.theme';
const ZONE_KEY = 'presage.time';
const light = matchMedia('(prefers-color-scheme: light)');
const palette = new Store<Palette>(recallText(PALETTE_KEY) === 'colour-blind' ? 'colour-blind' : 'usual');
const theme = new Store<Theme>(currentTheme());
const zone = new Store<Zone>(recallText(ZONE_KEY) === 'local' ? 'local' : 'utc');
light.addEventListener('change', () => showTheme(currentTheme()));
show();

function currentTheme(): Theme {
  const stored = recallText(THEME_KEY);
  return stored === 'dark' || stored === 'light' ? stored : light.matches ? 'light' : 'dark';
}

function showTheme(next: Theme): void {
  // Set in the document before any component reads a colour from it.
  document.documentElement.dataset.theme = next;
  theme.set(next);
}

function show(): void {
  showTheme(theme.get());
  showLocalTime(zone.get() === 'local');
  if (palette.get() === 'usual') delete document.documentElement.dataset.vision;
  else document.documentElement.dataset.vision = 'safe';
}

export function setPalette(value: Palette): void {
  keepText(PALETTE_KEY, value);
  palette.set(value);
  show();
}

export function switchZone(): void {
  const next = zone.get() === 'utc' ? 'local' : 'utc';
  keepText(ZONE_KEY, next);
  showLocalTime(next === 'local');
  zone.set(next);
}

export function switchTheme(): void {
  const next = theme.get() === 'dark' ? 'light' : 'dark';
  keepText(THEME_KEY, next);
  showTheme(next);
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

export function usePreferences() {
  return {
    palette: useWatched(palette),
    theme: useWatched(theme),
    zone: useWatched(zone),
  };
}
