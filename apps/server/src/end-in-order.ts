// Shuts the process down in order on a signal; a second signal kills it at once, except in a lane.
import closeWithGrace from 'close-with-grace';

export interface EndOptions {
  /** Time to close, after which the process is killed. */
  readonly delayMs: number;
  readonly isLane: boolean;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Calls `close` once, with the error if the reason is an uncaught one. */
export function endInOrder({ delayMs, isLane }: EndOptions, close: (error?: Error) => Promise<void>): void {
  const skip = isLane ? [...SIGNALS] : [];
  const grace = closeWithGrace({ delay: delayMs, skip }, ({ err }) => close(err));
  if (isLane) onFirstWord(grace.close);
}

/** Ends a lane at the first signal or message, ignoring repeats: a terminal or systemd also signals lanes, which must not cut off their answers. */
function onFirstWord(end: () => void): void {
  let isEnding = false;
  const endOnce = () => {
    if (!isEnding) end();
    isEnding = true;
  };
  for (const signal of SIGNALS) process.on(signal, endOnce);
  process.on('message', (word) => {
    if (word === 'end') endOnce();
  });
}
