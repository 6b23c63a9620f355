// Routes: which screen a path shows, and links that navigate without a page load.
import type { AnchorHTMLAttributes, MouseEvent, ReactNode } from 'react';
import { Store, useWatched } from '../state/store.ts';

type Screen =
  | { readonly name: 'landing' }
  | { readonly name: 'market'; readonly marketId: string }
  | { readonly name: 'event'; readonly eventId: string }
  | { readonly name: 'quick'; readonly asset: string }
  | { readonly name: 'portfolio' }
  | { readonly name: 'leaderboard' }
  | { readonly name: 'wallet'; readonly address: string }
  | { readonly name: 'proof' }
  | { readonly name: 'operator' };

const path = new Store(location.pathname);
addEventListener('popstate', () => path.set(location.pathname));

/** Navigates without a page load. `to` may have a query, which the screen reads once when it opens. */
export function navigate(to: string): void {
  if (to !== location.pathname + location.search) history.pushState(null, '', to);
  path.set(location.pathname);
  scrollTo(0, 0);
}

export function usePath(): string {
  return useWatched(path);
}

export function toScreen(text: string): Screen {
  const [, section = '', name = ''] = text.split('/');
  if (section === 'm' && name !== '') return { name: 'market', marketId: name.toLowerCase() };
  if (section === 'e' && name !== '') return { name: 'event', eventId: name.toLowerCase() };
  if (section === 'quick' && name !== '') return { name: 'quick', asset: name.toUpperCase() };
  if (section === 'wallet' && /^0x[0-9a-f]{40}$/i.test(name)) return { name: 'wallet', address: name };
  if (section === 'leaderboard' || section === 'portfolio' || section === 'proof' || section === 'operator')
    return { name: section };
  return { name: 'landing' };
}

interface LinkProps extends AnchorHTMLAttributes<HTMLAnchorElement> {
  readonly href: string;
  readonly children: ReactNode;
}

export function Link({ href, children, onClick, ...rest }: LinkProps) {
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (!isPlain || event.defaultPrevented) return;
    event.preventDefault();
    navigate(href);
  };
  return (
    <a href={href} onClick={follow} {...rest}>
      {children}
    </a>
  );
}
