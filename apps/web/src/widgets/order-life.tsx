// Orders of this visit on their way: signing, accepted, settling, settled, told as it happens.
import { shortHash } from '../lib/format.ts';
import { type OrderLife, STAGES, type Stage } from '../state/order-lives.ts';
import { usePage } from '../state/page-context.ts';
import { useWatched } from '../state/store.ts';

export function OrderLifeList() {
  const { orderLives } = usePage();
  const lives = useWatched(orderLives.lives);
  return (
    <section aria-live="polite" aria-label="Your orders on their way" data-testid="order-lives">
      {lives.map((life) => (
        <Life key={life.id} life={life} onDismiss={() => orderLives.dismiss(life.id)} />
      ))}
    </section>
  );
}

function Life({ life, onDismiss }: { readonly life: OrderLife; readonly onDismiss: () => void }) {
  const { ending, stage } = life;
  const reached = STAGES.indexOf(stage);
  const isOver = ending !== undefined || stage === 'settled';
  return (
    <article className="life" data-testid="order-life" data-stage={ending?.kind ?? stage}>
      <div className="split">
        <strong>{life.text}</strong>
        {isOver && (
          <button type="button" className="link" onClick={onDismiss} aria-label={`Dismiss ${life.text}`}>
            Dismiss
          </button>
        )}
      </div>
      <ol className="steps">
        {STAGES.map((each, index) => (
          <li key={each} data-reached={index <= reached} className={index <= reached ? '' : 'muted'}>
            <span aria-hidden="true">{index <= reached ? '●' : '○'}</span> {stageText(each, life)}
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

function stageText(stage: Stage, { matches, txHash }: OrderLife): string {
  if (stage === 'signing') return 'Signing';
  if (stage === 'accepted')
    return matches > 0 ? `Accepted (${matches} ${matches === 1 ? 'match' : 'matches'})` : 'Accepted';
  if (stage === 'settling') return 'Settling';
  return txHash === undefined || txHash === '' ? 'Settled' : `Settled (${shortHash(txHash)})`;
}
