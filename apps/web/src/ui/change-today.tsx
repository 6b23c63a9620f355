// Change of a chance since yesterday, in percentage points.
import { Icon } from './icon.tsx';

const POINT = 10_000;

/** `change` is in millionths; null if there is nothing to compare with. */
export function ChangeToday({ change }: { readonly change: number | bigint | null }) {
  if (change === null) return null;
  const points = Math.round(Math.abs(Number(change)) / POINT);
  const isUp = Number(change) > 0;
  const word = isUp ? 'up' : 'down';
  return (
    <span className={`change ${points === 0 ? 't3 sm' : isUp ? 'yes' : 'no'}`} data-testid="change">
      <Icon name={points === 0 ? 'flat' : word} size={11} />
      {points > 0 && <span className="sr">{word}</span>}
      {points === 0 ? 'no change' : `${points} ${points === 1 ? 'pt' : 'pts'}`} today
    </span>
  );
}
