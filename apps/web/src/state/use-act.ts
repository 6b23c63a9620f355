// Runs an action of the operator: one at a time, with a toast for how it ended.
import { useState } from 'react';
import { toFailure } from './failure.ts';
import { usePage } from './page-context.ts';

export type RunAction = (done: string, work: () => Promise<unknown>) => Promise<boolean>;

/** Answers whether it was done. */
export function useAct(): { readonly isBusy: boolean; readonly run: RunAction } {
  const { toasts } = usePage();
  const [isBusy, setIsBusy] = useState(false);
  const run: RunAction = async (done, work) => {
    if (isBusy) return false;
    setIsBusy(true);
    try {
      await work();
      toasts.show({ key: 'operator', tone: 'ok', title: done, text: 'It stands in the log below.' });
      return true;
    } catch (error) {
      const { message, remedy, requestId } = toFailure(error);
      toasts.show({ key: 'operator', tone: 'bad', title: 'Not done', text: `${message}. ${remedy ?? ''}`, requestId });
      return false;
    } finally {
      setIsBusy(false);
    }
  };
  return { isBusy, run };
}
