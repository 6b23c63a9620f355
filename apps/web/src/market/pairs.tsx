// Split and merge: a dollar for one YES and one NO, and back. For those who know why they want it.
import { type KeyboardEvent, useId, useState } from 'react';
import { money, shares } from '../lib/format.ts';
import { readNumber } from '../lib/typed-number.ts';
import { toFailure } from '../state/failure.ts';
import { usePage } from '../state/page-context.ts';
import { useWatched } from '../state/store.ts';
import { formatUnits } from '../ticket/chips.ts';
import { usePosition } from './use-position.ts';

interface PairsProps {
  readonly marketId: string;
  readonly names: { readonly YES: string; readonly NO: string };
}

const EXPECTED = 'Enter how many pairs, above 0 and with at most 6 decimals';

export function Pairs({ marketId, names }: PairsProps) {
  const { account, toasts } = usePage();
  const { wallet, balances } = useWatched(account.state);
  const holding = usePosition(marketId);
  const [text, setText] = useState('');
  const [isBusy, setIsBusy] = useState(false);
  const id = useId();
  const [yes, no] = [holding?.yesShares ?? 0n, holding?.noShares ?? 0n];
  const pairs = yes < no ? yes : no;
  const { units: amount = 0n, problem } = readNumber(text, { unit: 'dollars', expected: EXPECTED });
  const run = async (title: string, work: () => Promise<{ wait(): Promise<unknown> }>) => {
    setIsBusy(true);
    toasts.show({ key: 'pairs', tone: 'wait', title: `${title}: on its way` });
    try {
      await (await work()).wait();
      toasts.show({ key: 'pairs', tone: 'ok', title: `${title}: done` });
      setText('');
    } catch (error) {
      const { message, remedy, requestId } = toFailure(error);
      toasts.show({
        key: 'pairs',
        tone: 'bad',
        title: `${title}: not done`,
        text: `${message}. ${remedy ?? ''}`,
        requestId,
      });
    }
    setIsBusy(false);
    account.touch();
  };
  if (!wallet) return null;
  const canSplit = !isBusy && amount > 0n && amount <= BigInt(balances?.available ?? 0);
  const canMerge = !isBusy && amount > 0n && amount <= pairs;
  return (
    <fieldset className="group" data-testid="pairs">
      <legend>
        Pairs of {names.YES} and {names.NO}
      </legend>
      <p className="sm t2">$1 makes one of each; one of each makes $1. You have {shares(pairs)} to merge.</p>
      <div className="row">
        <label className="sr" htmlFor={id}>
          Pairs to split or merge
        </label>
        <input
          id={id}
          className="input"
          inputMode="decimal"
          autoComplete="off"
          placeholder="0"
          value={text}
          data-testid="pairs-amount"
          onChange={(event) => setText(event.target.value)}
          onKeyDown={keepFromTicket}
        />
        <button
          type="button"
          className="btn btn-line sm"
          data-testid="split"
          disabled={!canSplit}
          onClick={() => void run(`Split ${money(amount)}`, () => wallet.client.split(marketId, formatUnits(amount)))}
        >
          Split
        </button>
        <button
          type="button"
          className="btn btn-line sm"
          data-testid="merge"
          disabled={!canMerge}
          onClick={() =>
            void run(`Merge ${shares(amount)} pairs`, () => wallet.client.merge(marketId, formatUnits(amount)))
          }
        >
          Merge
        </button>
      </div>
      {text.trim() !== '' && problem && (
        <p className="ticket-note is-warn" role="status" data-testid="pairs-problem">
          {problem}.
        </p>
      )}
    </fieldset>
  );
}

/** Enter in this field must not place the order around it. */
function keepFromTicket(event: KeyboardEvent): void {
  if (event.key === 'Enter') event.preventDefault();
}
