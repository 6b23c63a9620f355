// Split and merge, for experienced traders: a dollar becomes one YES and one NO share, and back.
import { type KeyboardEvent, useId, useState } from 'react';
import { money, shares } from '../lib/format.ts';
import { readNumber } from '../lib/typed-number.ts';
import type { MarketFeed } from '../state/market-feed.ts';
import { usePage } from '../state/page-context.ts';
import { useWatched } from '../state/store.ts';
import { useAct } from '../state/use-act.ts';
import { Button, TextInput } from '../ui/controls.tsx';
import { usePosition } from './use-position.ts';

const EXPECTED = 'Enter how many pairs, above 0 and with at most 6 decimals';

export function Pairs({ feed: { marketId, names } }: { readonly feed: MarketFeed }) {
  const { wallet, balances } = useWatched(usePage().account.state);
  const holding = usePosition(marketId);
  const [text, setText] = useState('');
  const { isBusy, run } = useAct('pairs');
  const id = useId();
  const [yes, no] = [holding?.yesShares ?? 0n, holding?.noShares ?? 0n];
  const pairs = yes < no ? yes : no;
  const { units: amount = 0n, problem } = readNumber(text, { unit: 'dollars', expected: EXPECTED });
  if (!wallet) return null;
  const { client } = wallet;
  const act = async (title: string, work: () => Promise<{ wait(): Promise<unknown> }>) => {
    const told = { doing: title, done: `${title}: done`, failed: `${title}: not done` };
    if (await run(told, async () => (await work()).wait())) setText('');
  };
  const split = () => act(`Split ${money(amount)}`, () => client.split(marketId, amount));
  const merge = () => act(`Merge ${shares(amount)} pairs`, () => client.merge(marketId, amount));
  const canAct = (most: bigint) => !isBusy && amount > 0n && amount <= most;
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
        <TextInput
          id={id}
          className="input"
          inputMode="decimal"
          autoComplete="off"
          placeholder="0"
          value={text}
          data-testid="pairs-amount"
          onText={setText}
          onKeyDown={keepFromTicket}
        />
        <Button
          look="line sm"
          testId="split"
          disabled={!canAct(BigInt(balances?.available ?? 0))}
          onClick={() => void split()}
        >
          Split
        </Button>
        <Button look="line sm" testId="merge" disabled={!canAct(pairs)} onClick={() => void merge()}>
          Merge
        </Button>
      </div>
      {text.trim() !== '' && problem && (
        <p className="ticket-note is-warn" role="status" data-testid="pairs-problem">
          {problem}.
        </p>
      )}
    </fieldset>
  );
}

/** Keeps Enter in this field from submitting the order ticket around it. */
function keepFromTicket(event: KeyboardEvent): void {
  if (event.key === 'Enter') event.preventDefault();
}
