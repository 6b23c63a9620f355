// Ctrl-C as a signal: the ordinary end of a command that runs until then.

/** The second Ctrl-C ends the process at once. */
export function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => controller.abort());
  return controller.signal;
}
