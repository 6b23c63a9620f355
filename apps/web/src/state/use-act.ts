// Runs what a button does: one at a time, with toasts for its beginning and its end.
import { useState } from 'react';
import { toFailure } from './failure.ts';
import { usePage } from './page-context.ts';

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
      const { message, remedy, requestId } = toFailure(error);
      const title = failed ?? (doing === undefined ? 'Not done' : `${doing} failed`);
      toasts.show({ key, tone: 'bad', title, text: `${message}. ${remedy ?? ''}`, requestId });
      return false;
    } finally {
      setIsBusy(false);
      account.touch();
    }
  };
  return { isBusy, run };
}

export type RunAction = (done: string, work: () => Promise<unknown>) => Promise<boolean>;

export function useOperatorAct(): { readonly isBusy: boolean; readonly run: RunAction } {
  const { isBusy, run } = useAct('operator');
  return { isBusy, run: (done, work) => run({ done, text: 'Recorded in the log below.' }, work) };
}
