// The ticket's button, whose text is what a press does or why it is not possible; a note below it, and the action that fixes an obstacle.
import { type MouseEvent, useId } from 'react';
import { cents } from '../lib/format.ts';
import { type OutcomeNames, withNames } from '../lib/outcomes.ts';
import type { Ticket } from '../lib/ticket.ts';
import type { Placing } from '../state/order-tracker.ts';
import { usePage } from '../state/page-context.ts';
import { useConfig } from '../state/service-config.ts';
import { useWatched } from '../state/store.ts';
import { actOnWallet } from '../state/use-act.ts';
import { Button } from '../ui/controls.tsx';
import type { Obstacle } from './obstacle.ts';
import type { TicketOrder } from './ticket-order.ts';
import type { Submission } from './use-submission.ts';

interface ButtonProps {
  readonly ticket: Ticket;
  readonly submission: Submission;
  readonly obstacle: Obstacle | undefined;
  readonly names: OutcomeNames;
}

const FUND_AMOUNT = '1000';
const CALM_NOTE = 'One signature. No gas to pay.';

export function TicketButton({ ticket, submission, obstacle, names }: ButtonProps) {
  const why = useId();
  const { wallet } = useWatched(usePage().account.state);
  const { placing, caution, order, move } = submission;
  const isMoved = move !== undefined && placing === undefined && obstacle === undefined;
  const isLocked = isMoved && move.isLocked;
  const tone = ticket.side === 'sell' ? 'btn-sell' : ticket.outcome === 'YES' ? 'btn-yes' : 'btn-no';
  // Without a wallet, opening one is the main action.
  if (obstacle?.fix === 'demo-wallet' || obstacle?.fix === 'injected-wallet') {
    return (
      <>
        <FixButton fix={obstacle.fix} isMain />
        <p className="ticket-note" data-testid="why">
          {obstacle.text}
        </p>
      </>
    );
  }
  const plain = obstacle?.button ?? order?.button ?? `Buy ${ticket.outcome}`;
  const text = placing ? waitingText(placing, wallet?.kind === 'injected') : withNames(caution?.button ?? plain, names);
  const movedText = isMoved ? `The price moved from ${cents(move.from)} to ${cents(move.to)}.` : undefined;
  const shortText = obstacle === undefined ? shortSaleNote(order, names) : undefined;
  const note =
    placing === 'connection' ? SAME_ORDER : (caution?.text ?? obstacle?.text ?? movedText ?? shortText ?? CALM_NOTE);
  return (
    <>
      <button
        type="submit"
        className={`btn lg wide ${caution ? 'btn-main' : tone}`}
        data-testid="submit"
        data-state={placing ?? (isLocked ? 'moved' : caution ? 'asking' : (obstacle?.state ?? 'ready'))}
        aria-disabled={obstacle !== undefined || placing !== undefined || isLocked}
        aria-busy={placing !== undefined}
        aria-describedby={why}
        onClick={ignoreSecondClick}
      >
        {placing && <span className="spin" aria-hidden="true" />}
        {text}
      </button>
      <p
        id={why}
        className={caution || isMoved || obstacle?.isFault ? 'ticket-note is-warn' : 'ticket-note'}
        data-testid="why"
        aria-live="polite"
      >
        {note}
      </p>
      {obstacle?.fix && <FixButton fix={obstacle.fix} />}
    </>
  );
}

/** Explains that selling shares that are not held means buying the other side. */
function shortSaleNote(order: TicketOrder | undefined, names: OutcomeNames): string | undefined {
  if (order === undefined || order.missing === 0n) return undefined;
  const { outcome = 'YES' } = order.params;
  const [sold, kept] = outcome === 'YES' ? [names.YES, names.NO] : [names.NO, names.YES];
  return `You hold too few: $1 buys one ${sold} and one ${kept}, the ${sold} is sold and you keep the ${kept}.`;
}

/** Treats a double click as one press. */
function ignoreSecondClick(event: MouseEvent): void {
  if (event.detail > 1) event.preventDefault();
}

const SAME_ORDER = 'No answer yet. The same signed order is sent again; it cannot be placed twice.';

function waitingText(placing: Placing, isInjected: boolean): string {
  if (placing === 'signature') return isInjected ? 'Confirm in your wallet' : 'Placing your order';
  return placing === 'answer' ? 'Placing your order' : 'Waiting for the service';
}

function FixButton({ fix, isMain = false }: { readonly fix: NonNullable<Obstacle['fix']>; readonly isMain?: boolean }) {
  const page = usePage();
  const { account } = page;
  const config = useConfig();
  const fixes = {
    'demo-wallet': {
      text: 'Start with $1,000 of demo money',
      failed: 'Not started',
      act: () => account.open('demo', config),
    },
    'injected-wallet': {
      text: 'Connect a wallet',
      failed: 'Not connected',
      act: () => account.open('injected', config),
    },
    fund: { text: 'Get $1,000 of test money', failed: 'No money was added', act: () => account.fund(FUND_AMOUNT) },
    'set-up': { text: 'Set up trading, no gas', failed: 'Not set up', act: () => account.setUp() },
  };
  const { text, failed, act } = fixes[fix];
  return (
    <Button
      look={isMain ? 'main lg wide' : 'line wide'}
      testId={`fix-${fix}`}
      onClick={() => void actOnWallet(page, failed, act)}
    >
      {text}
    </Button>
  );
}
