// The icons: a 16 px grid, strokes of 1.5 px, drawn in the colour of the text around them.

function ellipse(x: number, y: number, rx: number, ry = rx): string {
  return `M${x - rx} ${y}a${rx} ${ry} 0 1 0 ${2 * rx} 0a${rx} ${ry} 0 1 0 ${-2 * rx} 0`;
}

/** A rectangle with corners of radius `r`. */
function box(x: number, y: number, width: number, height: number, r: number): string {
  const [w, h] = [width - 2 * r, height - 2 * r];
  const corner = (dx: number, dy: number) => `a${r} ${r} 0 0 1 ${dx} ${dy}`;
  return `M${x + r} ${y}h${w}${corner(r, r)}v${h}${corner(-r, r)}h${-w}${corner(-r, -r)}v${-h}${corner(r, -r)}Z`;
}

const ICONS = {
  check: 'm3.5 8.5 3 3 6-7',
  cross: 'm4.5 4.5 7 7m0-7-7 7',
  up: 'M8 4.2 12.6 11H3.4Z',
  down: 'M8 11.8 3.4 5h9.2Z',
  star: 'm8 2.2 1.8 3.7 4 .5-2.9 2.8.7 4L8 11.3l-3.6 1.9.7-4L2.2 6.4l4-.5Z',
  flat: 'M3.5 8h9',
  chevron: 'm4.5 6.3 3.5 3.5 3.5-3.5',
  back: 'M9.7 4.5 6.2 8l3.5 3.5',
  search: `${ellipse(7, 7, 4)}M10 10l3 3`,
  clock: `${ellipse(8, 8, 5.5)}M8 5v3l2 1.4`,
  bolt: 'M8.8 2 4 9h3.6L7.2 14 12 7H8.4Z',
  grid: [2.5, 9.1].flatMap((x) => [2.5, 9.1].map((y) => box(x, y, 4.4, 4.4, 1.2))).join(''),
  pie: 'M8 2.5V8l4.6 3A5.5 5.5 0 1 1 8 2.5ZM10.5 2.9a5.5 5.5 0 0 1 2.9 4.2l-2.9.1Z',
  pulse: 'M1.8 8.5h2.7l1.8-5 3 9 1.8-4h3.1',
  more: [3.5, 8, 12.5].map((x) => ellipse(x, 8, 0.6)).join(''),
  wallet:
    'M2.5 5.2c0-.9.7-1.7 1.7-1.7h7.1v2.2m-8.8-.5c0 .3.2.5.5.5h9.5c.6 0 1 .4 1 1v4.8c0 .6-.4 1-1 1H4c-.8 0-1.5-.7-1.5-1.5ZM10.8 9h.2',
  moon: 'M13 9.6A5.5 5.5 0 0 1 6.4 3 5.5 5.5 0 1 0 13 9.6Z',
  sun: `${ellipse(8, 8, 2.6)}M8 1.8v1.4m0 9.6v1.4M1.8 8h1.4m9.6 0h1.4M3.6 3.6l1 1m6.8 6.8 1 1m0-8.8-1 1m-6.8 6.8-1 1`,
  bell: 'M8 2.2a4 4 0 0 0-4 4c0 3.6-1.4 4.9-1.4 4.9h10.8S12 9.8 12 6.2a4 4 0 0 0-4-4Zm-1.3 11.3a1.5 1.5 0 0 0 2.6 0',
  link: 'M6.8 9.2a2.4 2.4 0 0 0 3.4 0l2.2-2.2A2.4 2.4 0 0 0 9 3.6l-.7.7m.9 2.5a2.4 2.4 0 0 0-3.4 0L3.6 9A2.4 2.4 0 0 0 7 12.4l.7-.7',
  alert: 'M8 2.6 14 13H2ZM8 6.6v3m0 1.7v.1',
  gift: `${box(2.5, 6, 11, 7.5, 1.2)}M1.8 6h12.4M8 6v7.5M8 6C6.7 6 4.6 5.4 4.6 3.9 4.6 2 7.4 2 8 6Zm0 0c1.3 0 3.4-.6 3.4-2.1C11.4 2 8.6 2 8 6Z`,
  gavel: 'm7.2 3.2 4.6 4.6M5.6 4.8l4.6 4.6M8.9 2.4 5 6.3m7.6-.2L8.7 10M7 7.6l-4.4 4.4m5.4 1.5h5.5',
  plus: 'M8 3.2v9.6M3.2 8h9.6',
  minus: 'M3.2 8h9.6',
  diamond: 'M8 3 13 8l-5 5-5-5Z',
  trophy:
    'M5 2.8h6v4a3 3 0 0 1-6 0Zm0 1.4H2.6c0 2.2 1 3.2 2.6 3.4M11 4.2h2.4c0 2.2-1 3.2-2.6 3.4M8 9.8v2.4m-2.6 1.3h5.2',
  layers: 'm8 2.4 6 3.1-6 3.1-6-3.1Zm-6 5.4 6 3.1 6-3.1M2 10.3l6 3.1 6-3.1',
  cube: 'm8 1.9 5.4 3v6.2l-5.4 3-5.4-3V4.9Zm0 6.1 5.2-3M8 8v6M8 8 2.8 5',
  coin: `${ellipse(8, 4.6, 5, 2.2)}M3 4.6v6.8c0 1.2 2.2 2.2 5 2.2s5-1 5-2.2V4.6M3 8c0 1.2 2.2 2.2 5 2.2S13 9.2 13 8`,
  globe: `${ellipse(8, 8, 5.7)}M2.4 8h11.2M8 2.3c4 4.2 4 7.2 0 11.4-4-4.2-4-7.2 0-11.4Z`,
  db: `${ellipse(8, 4, 5, 1.9)}M3 4v8c0 1 2.2 1.9 5 1.9s5-.9 5-1.9V4`,
  book: 'M3 3.2h7.6c1.3 0 2.4 1 2.4 2.3v7.3H5.2A2.2 2.2 0 0 1 3 10.6Zm0 7.4c0-1.2 1-2.2 2.2-2.2H13',
  cpu: `${box(4, 4, 8, 8, 1.4)}M6.4 1.8V4m3.2-2.2V4m-3.2 8v2.2m3.2-2.2v2.2M1.8 6.4H4M1.8 9.6H4m8-3.2h2.2M12 9.6h2.2`,
  feed: `${ellipse(4, 12, 0.75)}M3.2 8.2a4.6 4.6 0 0 1 4.6 4.6M3.2 4.4a8.4 8.4 0 0 1 8.4 8.4`,
  copy: `${box(5.5, 5.5, 7.5, 7.5, 1.5)}M10.5 5.5V4.2c0-.7-.5-1.2-1.2-1.2H4.2C3.5 3 3 3.5 3 4.2v5.1c0 .7.5 1.2 1.2 1.2h1.3`,
  list: 'M5.5 4h8m-8 4h8m-8 4h8M2.6 4h.1m-.1 4h.1m-.1 4h.1',
  help: `${ellipse(8, 8, 5.7)}M6.3 6.4c.1-2.3 3.6-2.2 3.5 0 0 1.3-1.8 1.4-1.8 2.7m0 1.9v.1`,
} as const;

export type IconName = keyof typeof ICONS;

const SOLID: ReadonlySet<IconName> = new Set(['up', 'down', 'diamond']);

/** An icon as decoration: the text beside it says the same. */
export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <span data-icon={name}>
      <svg
        viewBox="0 0 16 16"
        width={size}
        height={size}
        fill={SOLID.has(name) ? 'currentColor' : 'none'}
        stroke="currentColor"
        strokeWidth="1.5"
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden="true"
        focusable="false"
      >
        <path d={ICONS[name]} />
      </svg>
    </span>
  );
}
