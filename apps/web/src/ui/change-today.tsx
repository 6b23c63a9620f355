// How a chance has moved since yesterday, in points.
import { Icon } from './icon.tsx';

const POINT = 10_000;

/** Millionths; null while there is nothing to compare with. */
export function ChangeToday({ change }: { readonly change: number | bigint | null }) {
  if (change === null) return null;
  const points = Math.round(Math.abs(Number(change)) / POINT);
  if (points === 0) {
    return (
      <span className="change t3 sm" data-testid="change">
        <Icon name="flat" size={11} />
        no change today
      </span>
    );
  }
  const isUp = Number(change) > 0;
  return (
    <span className={`change ${isUp ? 'yes' : 'no'}`} data-testid="change">
      <Icon name={isUp ? 'up' : 'down'} size={11} />
      <span className="sr">{isUp ? 'up' : 'down'}</span>
      {points} {points === 1 ? 'pt' : 'pts'} today
    </span>
  );
}
