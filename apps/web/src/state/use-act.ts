// Runs the action of a button: one at a time, with toasts at its start and end.
import { useState } from 'react';
import { type Failure, toFailure } from './failure.ts';
import { type Page, usePage } from './page-context.ts';
import type { Toast } from './toasts.ts';

interface Told<T> {
  /** Text while the action runs, and the start of the failure's text. */
  readonly doing?: string;
  readonly done: string | ((result: T) => string);
  /** Text of a failure, instead of `doing`. */
  readonly failed?: string;
  readonly text?: string;
}

/** Texts for cancelling an order. */
export const CANCELLED = { done: 'Order cancelled', failed: 'Not cancelled' };

/** Toasts with the same key replace each other. Reads the wallet's data again after each action. */
export function useAct(key: string) {
  const { toasts, account } = usePage();
  const [isBusy, setIsBusy] = useState(false);
  /** Resolves to whether the action succeeded. */
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

/** Opens, sets up or funds the wallet outside its menu, and shows a failure as a toast because the menu is closed. */
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
