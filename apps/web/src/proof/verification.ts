// A verification started by the visitor: its progress and result.
import type { KeptReceipt, VerifyProgress } from '@presage/sdk/verify';
import { Store } from '../state/store.ts';
import type { PageVerdict, VerifyMessage, VerifyRequest } from './messages.ts';

export type VerificationState =
  | { readonly name: 'idle' }
  | { readonly name: 'running'; readonly progress: VerifyProgress | undefined; readonly sinceMs: number }
  | { readonly name: 'done'; readonly verdict: PageVerdict; readonly receipts: number; readonly atMs: number }
  | { readonly name: 'failed'; readonly text: string };

export class Verification {
  readonly state = new Store<VerificationState>({ name: 'idle' });
  readonly #url: string;
  #thread: Worker | undefined;

  constructor(url: string) {
    this.#url = url;
  }

  start(receipts: readonly KeptReceipt[]): void {
    if (this.#thread !== undefined) return;
    const sinceMs = Date.now();
    this.state.set({ name: 'running', progress: undefined, sinceMs });
    const thread = new Worker(threadUrl(), { type: 'module' });
    this.#thread = thread;
    thread.addEventListener('message', ({ data }: MessageEvent<VerifyMessage>) => {
      if (data.type === 'progress') this.state.set({ name: 'running', progress: data.progress, sinceMs });
      else this.#receive(data, receipts.length);
    });
    thread.addEventListener('error', () => this.#end({ name: 'failed', text: 'the verifier could not be started' }));
    const plain = receipts.map(({ orderHash, receipt }) => ({ orderHash, receipt }));
    thread.postMessage({ url: this.#url, receipts: plain } satisfies VerifyRequest);
  }

  stop(): void {
    if (this.#thread !== undefined) this.#end({ name: 'idle' });
  }

  #receive(message: Exclude<VerifyMessage, { type: 'progress' }>, receipts: number): void {
    if (message.type === 'failure') this.#end({ name: 'failed', text: message.text });
    else this.#end({ name: 'done', verdict: message.verdict, receipts, atMs: Date.now() });
  }

  #end(state: VerificationState): void {
    this.#thread?.terminate();
    this.#thread = undefined;
    this.state.set(state);
  }
}

/** Address of the thread's own script file, which the build writes into the page. */
function threadUrl(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="verify-thread"]')?.content ?? '/assets/verify-thread.js';
}
