// Runs before everything else: sets the theme (the stored one or the system's) before the first paint, so that the page never flashes in the
// other one, and replaces the page's storage if the browser denies it.
const root = document.documentElement;
let stored: string | null | undefined;
try {
  stored = localStorage.getItem('presage.theme');
} catch {
  // The browser denies storage, so a replacement in memory lasts until the next load.
  for (const name of ['localStorage', 'sessionStorage']) {
    const kept = new Map<string, string>();
    Object.defineProperty(window, name, {
      value: {
        getItem: (key: string) => kept.get(key) ?? null,
        setItem: (key: string, text: string) => kept.set(key, text),
        removeItem: (key: string) => kept.delete(key),
      },
    });
  }
}
const system = matchMedia('(prefers-color-scheme: light)').matches ? 'light' : 'dark';
root.dataset.theme = stored === 'dark' || stored === 'light' ? stored : system;
if (localStorage.getItem('presage.palette') === 'colour-blind') root.dataset.vision = 'safe';
