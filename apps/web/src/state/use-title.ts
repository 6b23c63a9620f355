// The browser's title of a screen and what a shared link says of it, kept while the screen is shown.
import { useEffect } from 'react';
import { useConfig } from './service-config.ts';

const USUAL = 'An exchange for binary prediction markets: live books, signed orders, gasless settlement.';

/** `about` is one sentence or more of what is on the screen. */
export function useTitle(text: string, about = USUAL): void {
  const { service } = useConfig();
  useEffect(() => {
    document.title = text === '' ? service : `${text} · ${service}`;
    write('meta[name="description"]', about);
    write('meta[property="og:title"]', document.title);
    write('meta[property="og:description"]', about);
  }, [text, about, service]);
}

function write(selector: string, content: string): void {
  document.querySelector(selector)?.setAttribute('content', content);
}
