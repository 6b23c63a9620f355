// The size of an element, updated as it changes, for drawings that need it in pixels.
import { type RefObject, useLayoutEffect, useRef, useState } from 'react';

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Both sides are 0 until the size is known. */
export function useSize(): [RefObject<HTMLDivElement | null>, Size] {
  const holder = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState<Size>({ width: 0, height: 0 });
  useLayoutEffect(() => {
    if (holder.current === null) return;
    const observer = new ResizeObserver(([entry]) => {
      if (entry === undefined) return;
      const { width, height } = entry.contentRect;
      setSize((before) => (before.width === width && before.height === height ? before : { width, height }));
    });
    observer.observe(holder.current);
    return () => observer.disconnect();
  }, []);
  return [holder, size];
}
