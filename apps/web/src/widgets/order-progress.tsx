// The progress of this session's orders: signing, accepted, settling, settled, announced as it changes.
import { shortHash } from '../lib/format.ts';
import { STAGES, type Stage, type TrackedOrder } from '../state/order-tracker.ts';
import { usePage } from '../state/page-context.ts';
import { useWatched } from '../state/store.ts';

export function OrderProgressList() {
  const { orderTracker } = usePage();
  const orders = useWatched(orderTracker.orders);
  return (
    <section aria-live="polite" aria-label="Your orders on their way" data-testid="order-lives">
      {orders.map((order) => (
        <OrderProgress key={order.id} order={order} onDismiss={() => orderTracker.dismiss(order.id)} />
      ))}
    </section>
  );
}

function OrderProgress({ order, onDismiss }: { readonly order: TrackedOrder; readonly onDismiss: () => void }) {
  const { ending, stage } = order;
  const reached = STAGES.indexOf(stage);
  const isOver = ending !== undefined || stage === 'settled';
  return (
    <article className="life" data-testid="order-life" data-stage={ending?.kind ?? stage}>
      <div className="split">
        <strong>{order.text}</strong>
        {isOver && (
          <button type="button" className="link" onClick={onDismiss} aria-label={`Dismiss ${order.text}`}>
            Dismiss
          </button>
        )}
      </div>
      <ol className="steps">
        {STAGES.map((each, index) => (
          <li key={each} data-reached={index <= reached} className={index <= reached ? '' : 'muted'}>
            <span aria-hidden="true">{index <= reached ? '●' : '○'}</span> {stageText(each, order)}
          </li>
        ))}
      </ol>
      {ending && (
        <p className={ending.kind === 'failed' ? 'no' : 'muted'}>
          {ending.kind === 'failed' ? `Failed. ${ending.text}` : ending.text}
        </p>
      )}
    </article>
  );
}

function stageText(stage: Stage, { matches, txHash }: TrackedOrder): string {
  if (stage === 'signing') return 'Signing';
  if (stage === 'accepted')
    return matches > 0 ? `Accepted (${matches} ${matches === 1 ? 'match' : 'matches'})` : 'Accepted';
  if (stage === 'settling') return 'Settling';
  return txHash === undefined || txHash === '' ? 'Settled' : `Settled (${shortHash(txHash)})`;
}
