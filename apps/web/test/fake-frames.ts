// Time by hand in the tests of a file, for what is drawn in frames too: those of a browser are timers here.
import { afterEach, beforeEach, vi } from 'vitest';

export function fakeFrames(): void {
  beforeEach(() => {
    vi.useFakeTimers();
    vi.stubGlobal('requestAnimationFrame', (paint: () => void) => setTimeout(paint));
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });
}
