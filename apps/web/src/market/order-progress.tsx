// The progress of the newest order in this market, below the ticket's button: signed, accepted, settling, settled.
import { shortHash } from '../lib/format.ts';
import { STAGES, type TrackedOrder } from '../state/order-tracker.ts';
import { usePage } from '../state/page-context.ts';
import { useWatched } from '../state/store.ts';
import { CANCELLED, useAct } from '../state/use-act.ts';
import { Button } from '../ui/controls.tsx';
import { ExplorerLink } from '../ui/explorer-link.tsx';
import { Icon } from '../ui/icon.tsx';

const NAMES = { signing: 'Signed', accepted: 'Accepted', settling: 'Settling', settled: 'Settled' } as const;

export function OrderProgressList({ marketId }: { readonly marketId: string }) {
  const { orderTracker } = usePage();
  const order = useWatched(orderTracker.orders).find((each) => each.marketId === marketId);
  return (
    <section aria-live="polite" aria-label="Your order on its way" data-testid="order-lives">
      {order && <OrderProgress key={order.id} order={order} onDismiss={() => orderTracker.dismiss(order.id)} />}
    </section>
  );
}

function OrderProgress({ order, onDismiss }: { readonly order: TrackedOrder; readonly onDismiss: () => void }) {
  const { ending, stage } = order;
  return (
    <article className="life" data-testid="order-life" data-stage={ending?.kind ?? stage}>
      <div className="life-top">
        <b title={order.text}>{order.text}</b>
        <span className="row">
          <LifeBadge order={order} />
          {(ending !== undefined || stage === 'settled') && (
            <Button className="icon-btn sm" onClick={onDismiss} aria-label={`Dismiss ${order.text}`}>
              <Icon name="cross" />
            </Button>
          )}
        </span>
      </div>
      <Steps order={order} />
      {ending && (
        <p className={ending.kind === 'failed' ? 'sm bad' : 'sm t2'}>
          {ending.kind === 'failed' ? `Failed. ${ending.text}` : ending.text}
        </p>
      )}
      {order.cancel && <CancelButton cancel={order.cancel} />}
    </article>
  );
}

function LifeBadge({ order: { ending, stage, settleMs, txHash, chainId } }: { readonly order: TrackedOrder }) {
  if (ending?.kind === 'failed') return <span className="badge is-bad">Failed</span>;
  if (ending?.kind === 'resting') return <span className="badge is-accent">In the book</span>;
  if (ending?.kind === 'over' || stage !== 'settled') return null;
  return (
    <ExplorerLink txHash={txHash} chainId={chainId}>
      <span className="badge is-good" title={txHash ? `Transaction ${shortHash(txHash)}` : undefined}>
        <Icon name="check" size={12} />
        Settled{settleMs === undefined ? '' : `, ${(settleMs / 1_000).toFixed(1)} s`}
      </span>
    </ExplorerLink>
  );
}

/** Steps of the order: the current one spins until the next is reached, and a failed one is marked. */
function Steps({ order: { stage, ending, matches } }: { readonly order: TrackedOrder }) {
  const reached = STAGES.indexOf(stage);
  const stateOf = (index: number) => {
    if (ending?.kind === 'failed' && index === Math.min(reached + 1, STAGES.length - 1)) return 'fail';
    if (index < reached || (index === reached && stage !== 'signing')) return 'done';
    const isWaiting = ending === undefined && index === (stage === 'signing' ? 0 : reached + 1);
    return isWaiting ? 'now' : '';
  };
  return (
    <ol className="steps">
      {STAGES.map((each, index) => (
        <li key={each} className={`step ${stateOf(index)}`} data-reached={index <= reached}>
          <span className="pin" aria-hidden="true">
            {stateOf(index) === 'done' && <Icon name="check" size={12} />}
            {stateOf(index) === 'fail' && <Icon name="cross" size={12} />}
            {stateOf(index) === 'now' && <span className="spin" />}
          </span>
          {NAMES[each]}
          {each === 'accepted' && matches > 1 ? ` (${matches})` : ''}
        </li>
      ))}
    </ol>
  );
}

function CancelButton({ cancel }: { readonly cancel: () => Promise<unknown> }) {
  const { isBusy, run } = useAct('cancel');
  return (
    <Button look="line sm" disabled={isBusy} onClick={() => void run(CANCELLED, cancel)}>
      Cancel it
    </Button>
  );
}
