// Sets the document's title and description, which shared links show, while a screen is open.
import { useEffect } from 'react';
import { useConfig } from './service-config.ts';

const USUAL = 'An exchange for binary prediction markets: live books, signed orders, gasless settlement.';

/** `about` describes the screen in one sentence or more. */
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
