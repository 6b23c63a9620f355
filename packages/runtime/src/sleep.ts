// Abortable sleeping and timeouts.

/** Rejects with the signal's reason if it is aborted. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    if (signal?.aborted) onAbort();
    else signal?.addEventListener('abort', onAbort, { once: true });
  });
}

export interface TimeLimit {
  readonly signal: AbortSignal;
  /** Call it at the end, because a caller's signal may live as long as its process. */
  release(): void;
}

/** A signal that fires with the caller's, or after a timeout. */
export function limitTime(ms: number, signal?: AbortSignal): TimeLimit {
  const controller = new AbortController();
  const onAbort = () => controller.abort(signal?.reason);
  const timer = setTimeout(() => controller.abort(new Error(`no answer within ${ms} ms`)), ms);
  if (signal?.aborted) onAbort();
  else signal?.addEventListener('abort', onAbort, { once: true });
  return {
    signal: controller.signal,
    release: () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    },
  };
}

/** Rejects with the error after the timeout; the operation itself continues unobserved. */
export async function withinTime<T>(asked: PromiseLike<T>, ms: number, toError: () => Error): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(toError()), ms);
  });
  return Promise.race([asked, silence]).finally(() => clearTimeout(timer));
}
