// The thread that verifies the exchange: the page stays alive, and the verifier is loaded only when it is wanted.
import { StateUnreadable, type VerifyProgress, verifyExchange } from '@presage/sdk/verify';
import type { VerifyMessage, VerifyRequest } from './messages.ts';
import { forgetState, readSavedState, saveState } from './saved-state.ts';

/** Often enough to be seen moving. */
const PROGRESS_EVERY_MS = 100;

addEventListener('message', ({ data }: MessageEvent<VerifyRequest>) => void answer(data));

async function answer(request: VerifyRequest): Promise<void> {
  try {
    const { saveState: save, ...verdict } = await verify(request);
    if (save !== undefined) await saveState(request.url, save());
    say({ type: 'verdict', verdict });
  } catch (error) {
    say({ type: 'failure', text: error instanceof Error ? error.message : String(error) });
  }
}

async function verify(request: VerifyRequest) {
  const options = { ...request, onProgress: tellNowAndThen() };
  try {
    return await verifyExchange({ ...options, state: await readSavedState(request.url) });
  } catch (error) {
    if (!(error instanceof StateUnreadable)) throw error;
    // Of an older page, or damaged: worth nothing.
    await forgetState(request.url);
    return verifyExchange(options);
  }
}

function tellNowAndThen(): (progress: VerifyProgress) => void {
  let toldMs = 0;
  return (progress) => {
    if (performance.now() - toldMs < PROGRESS_EVERY_MS) return;
    toldMs = performance.now();
    say({ type: 'progress', progress });
  };
}

function say(message: VerifyMessage): void {
  // The worker's own, which takes no origin; the page's types have the window's.
  (postMessage as (message: VerifyMessage) => void)(message);
}
