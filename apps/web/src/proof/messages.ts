// Messages between the page and its verifying thread.
import type { KeptReceipt, VerifyProgress, VerifyResult } from '@presage/sdk/verify';

export interface VerifyRequest {
  readonly url: string;
  readonly receipts: readonly KeptReceipt[];
}

/** Result without `saveState`, a function that stays in the thread. */
export type PageVerdict = Omit<VerifyResult, 'saveState'>;

export type VerifyMessage =
  | { readonly type: 'progress'; readonly progress: VerifyProgress }
  | { readonly type: 'verdict'; readonly verdict: PageVerdict }
  /** The check did not finish because of the service or this browser. */
  | { readonly type: 'failure'; readonly text: string };
