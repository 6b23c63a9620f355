// Ends the process in order when it is told to: a second signal ends it at once, except in a lane.
import closeWithGrace from 'close-with-grace';

export interface EndOptions {
  /** A process that has not closed by then is killed. */
  readonly delayMs: number;
  readonly isLane: boolean;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** `close` is called once, with the error where an uncaught one is the reason. */
export function endInOrder({ delayMs, isLane }: EndOptions, close: (error?: Error) => Promise<void>): void {
  const skip = isLane ? [...SIGNALS] : [];
  const grace = closeWithGrace({ delay: delayMs, skip }, ({ err }) => close(err));
  if (isLane) onFirstWord(grace.close);
}

/** The service ends its lanes. A terminal or systemd signals them beside it, which must not cut off their answers. */
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
