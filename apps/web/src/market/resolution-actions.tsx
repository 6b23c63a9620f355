// Actions for a market's result that anyone may take: propose it with a bond, dispute it, settle it. Each asks for confirmation in place.
import type { Market, OutcomeName, ResolutionStatus } from '@presage/sdk';
import { useState } from 'react';
import { moneyUp } from '../lib/format.ts';
import { bondOf, inHours, outcomesToPropose } from '../lib/milestones.ts';
import { usePage } from '../state/page-context.ts';
import { useChain } from '../state/service-config.ts';
import { useWatched } from '../state/store.ts';
import { useAct } from '../state/use-act.ts';
import { ConfirmBox, type ConfirmProps } from '../ui/confirm-box.tsx';
import { Button } from '../ui/controls.tsx';
import { sendCalls } from '../wallet/send-calls.ts';
import { type Act, Arbitration, type ArbitrationProps } from './arbitration.tsx';

interface ActionsProps {
  readonly market: Pick<Market, 'id' | 'kind' | 'question' | 'chainId' | 'event'>;
  readonly resolution: Pick<ResolutionStatus, 'status' | 'assertion' | 'bond'>;
  readonly nowSeconds: number;
  readonly onDone: () => void;
}

/** Not for quick markets, which the price resolves, not a proposal. */
export function ResolutionActions({ market, resolution, nowSeconds, onDone }: ActionsProps) {
  const { account } = usePage();
  const { wallet } = useWatched(account.state);
  const { isBusy, run } = useAct('resolution');
  const [chosen, setChosen] = useState<OutcomeName>();
  const act: Act = async (doing, done, work) => {
    await run({ doing, done, text: market.question }, async () => (await work()).wait());
    setChosen(undefined);
    onDone();
  };
  const { assertion } = resolution;
  const canPropose = resolution.status === 'expired' && market.kind === 'standard';
  const proposal = resolution.status === 'proposed' ? assertion : undefined;
  if (resolution.status === 'disputed') return <Arbitration market={market} isBusy={isBusy} act={act} />;
  if (proposal && proposal.expirationTime > nowSeconds)
    return <Dispute market={market} bond={proposal.bondAmount} isBusy={isBusy} act={act} />;
  if (!canPropose && !proposal) return null;
  if (!wallet) return <p className="sm t2">Open a wallet to take part in the resolution.</p>;
  if (proposal) {
    const settle = () => void act('Settling', 'Settled', () => wallet.client.settleMarket(market.id));
    return (
      <Button look="main sm" testId="settle" aria-busy={isBusy} onClick={settle}>
        Settle now
      </Button>
    );
  }
  if (chosen === undefined) return <Choices outcomes={outcomesToPropose(market)} onChoose={setChosen} />;
  return (
    <Confirmation
      outcome={chosen}
      chainId={market.chainId}
      resolution={resolution}
      isBusy={isBusy}
      onCancel={() => setChosen(undefined)}
      onConfirm={() =>
        void act(`Proposing ${chosen}`, `${chosen} proposed`, () => wallet.client.proposeResolution(market.id, chosen))
      }
    />
  );
}

interface DisputeProps extends ArbitrationProps {
  readonly bond: string;
}

/** Disputes with a transaction of the user's own wallet: relayed, it would make the relayer put up the bond of a stranger. */
function Dispute({ market, bond, isBusy, act }: DisputeProps) {
  const { account, reader } = usePage();
  const { wallet } = useWatched(account.state);
  const [isAsked, setIsAsked] = useState(false);
  const provider = wallet?.provider;
  if (!wallet || provider === undefined) return null;
  if (!isAsked) {
    return (
      <Button look="line sm" testId="dispute" onClick={() => setIsAsked(true)}>
        Dispute
      </Button>
    );
  }
  const work = async () => {
    const calls = await reader.getDisputeCalls(market.id, wallet.address);
    return { wait: () => sendCalls(provider, wallet.address, calls) };
  };
  return (
    <ConfirmBox
      testId="confirm-dispute"
      yes="Yes, dispute"
      busy="Sending…"
      isBusy={isBusy}
      onConfirm={() => void act('Disputing', 'Disputed', work)}
      onCancel={() => setIsAsked(false)}
    >
      Dispute with a bond of <b>{moneyUp(BigInt(bond))}</b> from your wallet, in two transactions whose gas you pay. If
      the proposal was right, the bond is lost.
    </ConfirmBox>
  );
}

interface ChoicesProps {
  readonly outcomes: readonly OutcomeName[];
  readonly onChoose: (outcome: OutcomeName) => void;
}

function Choices({ outcomes, onChoose }: ChoicesProps) {
  return (
    <div className="row acts">
      {outcomes.map((outcome) => (
        <Button
          key={outcome}
          look={`${outcome.toLowerCase()}-soft sm`}
          testId={`propose-${outcome}`}
          onClick={() => onChoose(outcome)}
        >
          Propose {outcome}
        </Button>
      ))}
    </div>
  );
}

interface ConfirmationProps extends ConfirmProps, Pick<Market, 'chainId'> {
  readonly outcome: OutcomeName;
  readonly resolution: Pick<ResolutionStatus, 'bond'>;
}

function Confirmation({ outcome, chainId, resolution, ...asked }: ConfirmationProps) {
  const chain = useChain(chainId);
  const { bondPermitRequired, disputeWindowSeconds } = chain;
  const payer = bondPermitRequired ? 'taken from your wallet' : 'paid by the service here';
  return (
    <ConfirmBox testId="confirm-proposal" yes={`Yes, propose ${outcome}`} busy="Sending…" {...asked}>
      Propose <b>{outcome}</b> with a bond of <b data-testid="bond">{moneyUp(bondOf(resolution, chain))}</b>, {payer}.
      Anyone may dispute it for {inHours(disputeWindowSeconds)} h; a wrong proposal loses the bond.
    </ConfirmBox>
  );
}
