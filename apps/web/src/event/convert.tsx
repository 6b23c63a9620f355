// Offers to convert NO of several outcomes of an event: the freed money, the received shares, and the button.

import { bestConversion, type HeldNo } from '../lib/conversion.ts';
import { moneyDown, plural, shares } from '../lib/format.ts';
import { usePage } from '../state/page-context.ts';
import { useWatched } from '../state/store.ts';
import { useAct } from '../state/use-act.ts';
import { Button } from '../ui/controls.tsx';

interface ConvertProps {
  readonly eventId: string;
  /** Number of outcomes of the event. */
  readonly count: number;
  readonly held: readonly HeldNo[];
}

/** Renders nothing if a conversion would free no money. */
export function Convert({ eventId, count, held }: ConvertProps) {
  const { wallet } = useWatched(usePage().account.state);
  const { isBusy, run } = useAct(`convert ${eventId}`);
  const best = bestConversion(held);
  if (!wallet || best === undefined) return null;
  const { indexes, amount, freed } = best;
  const others = count - indexes.length;
  const convert = () => {
    const title = `Convert ${shares(amount)} NO of ${plural(indexes.length, 'outcome')}`;
    const told = { doing: title, done: `${moneyDown(freed)} freed`, failed: `${title}: not done` };
    void run(told, async () => (await wallet.client.convertPositions(eventId, { indexes, amount })).wait());
  };
  return (
    <div className="convert" data-testid="convert">
      <p className="sm">
        You hold NO of {plural(indexes.length, 'outcome')}, and at most one of them can lose. Converting{' '}
        {shares(amount)} of each frees <b data-testid="freed">{moneyDown(freed)}</b> now
        {others > 0 &&
          `, and gives ${shares(amount)} YES of ${others === 1 ? 'the other one' : `each of the ${others} others`}`}
        .
      </p>
      <Button look="main sm" testId="convert-button" aria-busy={isBusy} onClick={convert}>
        {isBusy ? 'Converting' : `Convert, and free ${moneyDown(freed)}`}
      </Button>
    </div>
  );
}
