// Runs before the first paint: the stored theme, or the system's, so that the page never flashes in the other one.
const root = document.documentElement;
const stored = localStorage.getItem('presage.theme');
const system = matchMedia('(prefers-color-scheme: light)').matches ? 'light' : 'dark';
root.dataset.theme = stored === 'dark' || stored === 'light' ? stored : system;
if (localStorage.getItem('presage.palette') === 'colour-blind') root.dataset.vision = 'safe';
