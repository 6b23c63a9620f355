// Ctrl-C as an abort signal: the normal end of a command that runs until then.

/** A second Ctrl-C ends the process immediately. */
export function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => controller.abort());
  return controller.signal;
}
