// Lets the arbitrator of our own oracle decide a dispute with their wallet. At UMA voters decide, and the page has nothing to offer.
import type { Market } from '@presage/sdk';
import { useState } from 'react';
import { usePage } from '../state/page-context.ts';
import { useWatched } from '../state/store.ts';
import { useAct } from '../state/use-act.ts';
import { ConfirmBox } from '../ui/confirm-box.tsx';
import { Button } from '../ui/controls.tsx';
import { readArbitrator, sendCalls } from '../wallet/send-calls.ts';

/** Runs the action of a resolution button, and reports its result. */
export type Act = (text: string, done: string, work: () => Promise<{ wait(): Promise<void> }>) => Promise<void>;

export interface ArbitrationProps {
  readonly market: Pick<Market, 'id' | 'question'>;
  readonly isBusy: boolean;
  readonly act: Act;
}

export function Arbitration({ market, isBusy, act }: ArbitrationProps) {
  const { account, reader } = usePage();
  const { wallet } = useWatched(account.state);
  const asking = useAct('arbitration');
  /** Address of the arbitrator, read from the oracle; other accounts of the wallet cannot arbitrate. */
  const [arbitrator, setArbitrator] = useState<string>();
  const [isTrue, setIsTrue] = useState<boolean>();
  const provider = wallet?.provider;
  if (!wallet || provider === undefined) return null;
  const ask = async () => {
    const found = await readArbitrator(provider, await reader.getArbitrationCall(market.id, true));
    if (found === undefined) throw new Error('This oracle has no arbitrator: its voters decide');
    if (found.toLowerCase() !== wallet.address.toLowerCase()) throw new Error(`Only ${found} decides here`);
    setArbitrator(wallet.address);
  };
  if (arbitrator !== wallet.address) {
    const told = { done: 'You decide this dispute', text: market.question };
    return (
      <Button look="line sm" testId="arbitrate" aria-busy={asking.isBusy} onClick={() => void asking.run(told, ask)}>
        Decide as arbitrator
      </Button>
    );
  }
  if (isTrue === undefined) return <Verdicts onChoose={setIsTrue} />;
  const work = async () => {
    const call = await reader.getArbitrationCall(market.id, isTrue);
    return { wait: () => sendCalls(provider, wallet.address, [call]) };
  };
  return (
    <ConfirmBox
      testId="confirm-arbitration"
      yes={isTrue ? 'Yes, it was right' : 'Yes, it was wrong'}
      busy="Sending…"
      isBusy={isBusy}
      onConfirm={() => void act('Deciding', 'Decided', work)}
      onCancel={() => setIsTrue(undefined)}
    >
      {isTrue
        ? 'The proposal was right: the market gets its outcome, and the disputer loses the bond.'
        : 'The proposal was wrong: the proposer loses the bond, and the market waits for another proposal.'}{' '}
      This cannot be undone.
    </ConfirmBox>
  );
}

function Verdicts({ onChoose }: { readonly onChoose: (isTrue: boolean) => void }) {
  return (
    <div className="row acts">
      <Button look="line sm" testId="arbitrate-true" onClick={() => onChoose(true)}>
        The proposal was right
      </Button>
      <Button look="line sm" testId="arbitrate-false" onClick={() => onChoose(false)}>
        It was wrong
      </Button>
    </div>
  );
}
