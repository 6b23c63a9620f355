// Turns signals into requests: the first asks for an orderly stop, a second one for an immediate one.
import { watchParent } from '@presage/runtime/node';

/** npm forwards Ctrl-C to a process that already got it from the terminal, so one request arrives as two signals. */
const ECHO_MS = 500;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export interface StopSignals {
  readonly onStop: () => void;
  readonly onKill: () => void;
}

export function listenForStop({ onStop, onKill }: StopSignals): void {
  let firstMs: number | undefined;
  const onSignal = () => {
    const nowMs = performance.now();
    if (firstMs === undefined) {
      firstMs = nowMs;
      onStop();
    } else if (nowMs - firstMs > ECHO_MS) onKill();
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  // npm sends a signal to the shell between us, which dies of it without passing it on; so the death of the parent counts as the signal.
  if (process.env.npm_lifecycle_event) watchParent(onStop);
}
