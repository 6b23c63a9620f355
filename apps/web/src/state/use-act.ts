// Runs what a button does: one at a time, with toasts for its beginning and its end.
import { useState } from 'react';
import { toFailure } from './failure.ts';
import { usePage } from './page-context.ts';

interface Told {
  /** Said while it lasts, and of a failure. */
  readonly doing?: string;
  readonly done: string;
  /** What it is about. */
  readonly text?: string;
}

/** Answers whether it was done. */
type Run = (told: Told, work: () => Promise<unknown>) => Promise<boolean>;

/** Toasts of one key replace each other. */
export function useAct(key: string): { readonly isBusy: boolean; readonly run: Run } {
  const { toasts } = usePage();
  const [isBusy, setIsBusy] = useState(false);
  const run: Run = async ({ doing, done, text }, work) => {
    if (isBusy) return false;
    setIsBusy(true);
    const about = text !== undefined && { text };
    if (doing !== undefined) toasts.show({ key, tone: 'wait', title: `${doing}…`, ...about });
    try {
      await work();
      toasts.show({ key, tone: 'ok', title: done, ...about });
      return true;
    } catch (error) {
      const { message, remedy, requestId } = toFailure(error);
      const title = doing === undefined ? 'Not done' : `${doing} failed`;
      toasts.show({ key, tone: 'bad', title, text: `${message}. ${remedy ?? ''}`, requestId });
      return false;
    } finally {
      setIsBusy(false);
    }
  };
  return { isBusy, run };
}

export type RunAction = (done: string, work: () => Promise<unknown>) => Promise<boolean>;

/** An action of the operator. */
export function useOperatorAct(): { readonly isBusy: boolean; readonly run: RunAction } {
  const { isBusy, run } = useAct('operator');
  return { isBusy, run: (done, work) => run({ done, text: 'It stands in the log below.' }, work) };
}
