// What the page and its verifying thread say to each other.
import type { KeptReceipt, VerifyProgress, VerifyResult } from '@presage/sdk/verify';

export interface VerifyRequest {
  readonly url: string;
  readonly receipts: readonly KeptReceipt[];
}

/** Without the function that saves its state: that stays in the thread. */
export type PageVerdict = Omit<VerifyResult, 'saveState'>;

export type VerifyMessage =
  | { readonly type: 'progress'; readonly progress: VerifyProgress }
  | { readonly type: 'verdict'; readonly verdict: PageVerdict }
  /** The check did not finish: the service or this browser cannot. */
  | { readonly type: 'failure'; readonly text: string };
