// The icons: a 16 px grid, strokes of 1.5 px, drawn in the colour of the text around them.
import type { ReactNode } from 'react';

const ICONS = {
  check: <path d="m3.5 8.5 3 3 6-7" />,
  cross: <path d="m4.5 4.5 7 7m0-7-7 7" />,
  up: <path d="M8 4.2 12.6 11H3.4Z" fill="currentColor" strokeLinejoin="round" />,
  down: <path d="M8 11.8 3.4 5h9.2Z" fill="currentColor" strokeLinejoin="round" />,
  star: <path d="m8 2.2 1.8 3.7 4 .5-2.9 2.8.7 4L8 11.3l-3.6 1.9.7-4L2.2 6.4l4-.5Z" strokeLinejoin="round" />,
  flat: <path d="M3.5 8h9" />,
  right: <path d="M3 8h10m-3.8-4L13 8l-3.8 4" />,
  chevron: <path d="m4.5 6.3 3.5 3.5 3.5-3.5" />,
  next: <path d="m6.3 4.5 3.5 3.5-3.5 3.5" />,
  back: <path d="M9.7 4.5 6.2 8l3.5 3.5" />,
  search: (
    <>
      <circle cx="7" cy="7" r="4" />
      <path d="m10 10 3 3" />
    </>
  ),
  clock: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path d="M8 5v3l2 1.4" />
    </>
  ),
  bolt: <path d="M8.8 2 4 9h3.6L7.2 14 12 7H8.4Z" strokeLinejoin="round" />,
  grid: (
    <>
      <rect x="2.5" y="2.5" width="4.4" height="4.4" rx="1.2" />
      <rect x="9.1" y="2.5" width="4.4" height="4.4" rx="1.2" />
      <rect x="2.5" y="9.1" width="4.4" height="4.4" rx="1.2" />
      <rect x="9.1" y="9.1" width="4.4" height="4.4" rx="1.2" />
    </>
  ),
  pie: (
    <>
      <path d="M8 2.5V8l4.6 3A5.5 5.5 0 1 1 8 2.5Z" />
      <path d="M10.5 2.9a5.5 5.5 0 0 1 2.9 4.2l-2.9.1Z" />
    </>
  ),
  pulse: <path d="M1.8 8.5h2.7l1.8-5 3 9 1.8-4h3.1" />,
  more: (
    <>
      <circle cx="3.5" cy="8" r=".6" fill="currentColor" />
      <circle cx="8" cy="8" r=".6" fill="currentColor" />
      <circle cx="12.5" cy="8" r=".6" fill="currentColor" />
    </>
  ),
  wallet: (
    <>
      <path d="M2.5 5.2c0-.9.7-1.7 1.7-1.7h7.1v2.2m-8.8-.5c0 .3.2.5.5.5h9.5c.6 0 1 .4 1 1v4.8c0 .6-.4 1-1 1H4c-.8 0-1.5-.7-1.5-1.5Z" />
      <path d="M10.8 9h.2" />
    </>
  ),
  moon: <path d="M13 9.6A5.5 5.5 0 0 1 6.4 3 5.5 5.5 0 1 0 13 9.6Z" />,
  sun: (
    <>
      <circle cx="8" cy="8" r="2.6" />
      <path d="M8 1.8v1.4m0 9.6v1.4M1.8 8h1.4m9.6 0h1.4M3.6 3.6l1 1m6.8 6.8 1 1m0-8.8-1 1m-6.8 6.8-1 1" />
    </>
  ),
  link: (
    <path d="M6.8 9.2a2.4 2.4 0 0 0 3.4 0l2.2-2.2A2.4 2.4 0 0 0 9 3.6l-.7.7m.9 2.5a2.4 2.4 0 0 0-3.4 0L3.6 9A2.4 2.4 0 0 0 7 12.4l.7-.7" />
  ),
  out: <path d="M6.5 3.5h-2a1 1 0 0 0-1 1v7a1 1 0 0 0 1 1h7a1 1 0 0 0 1-1v-2M9 3.5h3.5V7m0-3.5L7.5 8.5" />,
  alert: (
    <>
      <path d="M8 2.6 14 13H2Z" strokeLinejoin="round" />
      <path d="M8 6.6v3m0 1.7v.1" />
    </>
  ),
  info: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path d="M8 7.4v3.2m0-5.3v.1" />
    </>
  ),
  gift: (
    <>
      <rect x="2.5" y="6" width="11" height="7.5" rx="1.2" />
      <path d="M1.8 6h12.4M8 6v7.5M8 6C6.7 6 4.6 5.4 4.6 3.9 4.6 2 7.4 2 8 6Zm0 0c1.3 0 3.4-.6 3.4-2.1C11.4 2 8.6 2 8 6Z" />
    </>
  ),
  gavel: <path d="m7.2 3.2 4.6 4.6M5.6 4.8l4.6 4.6M8.9 2.4 5 6.3m7.6-.2L8.7 10M7 7.6l-4.4 4.4m5.4 1.5h5.5" />,
  plus: <path d="M8 3.2v9.6M3.2 8h9.6" />,
  minus: <path d="M3.2 8h9.6" />,
  diamond: <path d="M8 3 13 8l-5 5-5-5Z" fill="currentColor" strokeLinejoin="round" />,
  trophy: (
    <path d="M5 2.8h6v4a3 3 0 0 1-6 0Zm0 1.4H2.6c0 2.2 1 3.2 2.6 3.4M11 4.2h2.4c0 2.2-1 3.2-2.6 3.4M8 9.8v2.4m-2.6 1.3h5.2" />
  ),
  layers: <path d="m8 2.4 6 3.1-6 3.1-6-3.1Zm-6 5.4 6 3.1 6-3.1M2 10.3l6 3.1 6-3.1" strokeLinejoin="round" />,
  cube: <path d="m8 1.9 5.4 3v6.2l-5.4 3-5.4-3V4.9Zm0 6.1 5.2-3M8 8v6M8 8 2.8 5" strokeLinejoin="round" />,
  coin: (
    <>
      <ellipse cx="8" cy="4.6" rx="5" ry="2.2" />
      <path d="M3 4.6v6.8c0 1.2 2.2 2.2 5 2.2s5-1 5-2.2V4.6M3 8c0 1.2 2.2 2.2 5 2.2S13 9.2 13 8" />
    </>
  ),
  globe: (
    <>
      <circle cx="8" cy="8" r="5.7" />
      <path d="M2.4 8h11.2M8 2.3c4 4.2 4 7.2 0 11.4-4-4.2-4-7.2 0-11.4Z" />
    </>
  ),
  key: (
    <>
      <circle cx="5.4" cy="10.6" r="2.6" />
      <path d="m7.3 8.7 5.2-5.2m-2.4 2.4 1.8 1.8" />
    </>
  ),
  db: (
    <>
      <ellipse cx="8" cy="4" rx="5" ry="1.9" />
      <path d="M3 4v8c0 1 2.2 1.9 5 1.9s5-.9 5-1.9V4" />
    </>
  ),
  book: <path d="M3 3.2h7.6c1.3 0 2.4 1 2.4 2.3v7.3H5.2A2.2 2.2 0 0 1 3 10.6Zm0 7.4c0-1.2 1-2.2 2.2-2.2H13" />,
  cpu: (
    <>
      <rect x="4" y="4" width="8" height="8" rx="1.4" />
      <path d="M6.4 1.8V4m3.2-2.2V4m-3.2 8v2.2m3.2-2.2v2.2M1.8 6.4H4M1.8 9.6H4m8-3.2h2.2M12 9.6h2.2" />
    </>
  ),
  feed: (
    <>
      <circle cx="4" cy="12" r=".8" fill="currentColor" />
      <path d="M3.2 8.2a4.6 4.6 0 0 1 4.6 4.6M3.2 4.4a8.4 8.4 0 0 1 8.4 8.4" />
    </>
  ),
  copy: (
    <>
      <rect x="5.5" y="5.5" width="7.5" height="7.5" rx="1.5" />
      <path d="M10.5 5.5V4.2c0-.7-.5-1.2-1.2-1.2H4.2C3.5 3 3 3.5 3 4.2v5.1c0 .7.5 1.2 1.2 1.2h1.3" />
    </>
  ),
  refresh: <path d="M13 5.5A5.5 5.5 0 0 0 3 6m0-3v3h3M3 10.5A5.5 5.5 0 0 0 13 10m0 3v-3h-3" />,
  list: (
    <>
      <path d="M5.5 4h8m-8 4h8m-8 4h8" />
      <path d="M2.6 4h.1m-.1 4h.1m-.1 4h.1" />
    </>
  ),
  help: (
    <>
      <circle cx="8" cy="8" r="5.7" />
      <path d="M6.3 6.4c.1-2.3 3.6-2.2 3.5 0 0 1.3-1.8 1.4-1.8 2.7m0 1.9v.1" />
    </>
  ),
} satisfies Readonly<Record<string, ReactNode>>;

export type IconName = keyof typeof ICONS;

/** Decoration only: the words beside it say the same. */
export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <span data-icon={name}>
      <svg
        viewBox="0 0 16 16"
        width={size}
        height={size}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden="true"
        focusable="false"
      >
        {ICONS[name]}
      </svg>
    </span>
  );
}
