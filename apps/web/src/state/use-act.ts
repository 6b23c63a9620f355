// Runs what a button does: one at a time, with toasts for its beginning and its end.
import { useState } from 'react';
import { type Failure, toFailure } from './failure.ts';
import { type Page, usePage } from './page-context.ts';
import type { Toast } from './toasts.ts';

interface Told<T> {
  /** Said while it lasts, and of a failure. */
  readonly doing?: string;
  readonly done: string | ((result: T) => string);
  /** Said of a failure instead. */
  readonly failed?: string;
  readonly text?: string;
}

/** What is said of an order that was to be cancelled. */
export const CANCELLED = { done: 'Order cancelled', failed: 'Not cancelled' };

/** Toasts of one key replace each other. What the wallet has is read again afterwards. */
export function useAct(key: string) {
  const { toasts, account } = usePage();
  const [isBusy, setIsBusy] = useState(false);
  /** Answers whether it was done. */
  const run = async <T>({ doing, done, failed, text }: Told<T>, work: () => Promise<T>): Promise<boolean> => {
    if (isBusy) return false;
    setIsBusy(true);
    if (doing !== undefined) toasts.show({ key, tone: 'wait', title: `${doing}…`, text });
    try {
      const result = await work();
      toasts.show({ key, tone: 'ok', title: typeof done === 'string' ? done : done(result), text });
      return true;
    } catch (error) {
      const title = failed ?? (doing === undefined ? 'Not done' : `${doing} failed`);
      toasts.show(toToast(key, title, toFailure(error)));
      return false;
    } finally {
      setIsBusy(false);
      account.touch();
    }
  };
  return { isBusy, run };
}

function toToast(key: string, title: string, { message, remedy = '', requestId }: Failure): Toast {
  return { key, tone: 'bad', title, text: `${message}. ${remedy}`.trim(), requestId };
}

/** Opens, sets up or funds the wallet where its menu, which says what went wrong, is closed. */
export async function actOnWallet(
  { account, toasts }: Pick<Page, 'account' | 'toasts'>,
  failed: string,
  work: () => Promise<void>,
): Promise<void> {
  const failure = await work().then(() => account.state.get().failure, toFailure);
  if (failure !== undefined) toasts.show(toToast('wallet', failed, failure));
}

export type RunAction = (done: string, work: () => Promise<unknown>) => Promise<boolean>;

export function useOperatorAct(): { readonly isBusy: boolean; readonly run: RunAction } {
  const { isBusy, run } = useAct('operator');
  return { isBusy, run: (done, work) => run({ done, text: 'Recorded in the log below.' }, work) };
}
