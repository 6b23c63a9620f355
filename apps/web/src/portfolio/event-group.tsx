// Groups the portfolio's positions by event: the head of a group, with the conversion if it frees money.
import { Link } from '../app/router.tsx';
import { Convert } from '../event/convert.tsx';
import { money, plural } from '../lib/format.ts';
import { eventQuestion, outcomeCount } from '../lib/outcomes.ts';
import type { OpenRow } from '../lib/portfolio.ts';

/** Groups rows by event id. Rows without an event come first, under an empty id. */
export function groupByEvent(rows: readonly OpenRow[]): Map<string, OpenRow[]> {
  const groups = new Map<string, OpenRow[]>([['', []]]);
  for (const row of rows) groups.set(row.event?.id ?? '', [...(groups.get(row.event?.id ?? '') ?? []), row]);
  return groups;
}

interface EventGroupProps {
  readonly rows: readonly OpenRow[];
  /** True for the positions of another wallet, which cannot be converted here. */
  readonly isPublic: boolean;
}

export function EventGroup({ rows, isPublic }: EventGroupProps) {
  const [first] = rows;
  if (first?.event === undefined) return null;
  const { event, question, marketId } = first;
  const held = rows.flatMap((row) =>
    row.outcome === 'NO' && row.event ? [{ index: row.event.index, shares: row.shares }] : [],
  );
  return (
    <div className="pgroup" data-testid="event-group">
      <Link className="strong" href={`/e/${event.id}`}>
        {eventQuestion(question, event.name)}
      </Link>
      <span className="sm t2">
        {money(rows.reduce((total, { value }) => total + value, 0n))} in {plural(rows.length, 'position')}
      </span>
      {!isPublic && <Convert eventId={event.id} count={outcomeCount(marketId)} held={held} />}
    </div>
  );
}
