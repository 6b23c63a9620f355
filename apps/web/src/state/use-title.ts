// The browser's title of a screen, kept while the screen is shown.
import { useEffect } from 'react';
import { useConfig } from './service-config.ts';

export function useTitle(text: string): void {
  const { service } = useConfig();
  useEffect(() => {
    document.title = text === '' ? service : `${text} · ${service}`;
  }, [text, service]);
}
