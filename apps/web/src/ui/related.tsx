// Open markets similar to the one on the screen.
import type { Market } from '@presage/sdk';
import { Link } from '../app/router.tsx';
import { percent } from '../lib/format.ts';
import { relatedMarkets } from '../lib/related.ts';
import { timeLeft } from '../lib/times.ts';
import { usePage } from '../state/page-context.ts';
import { useRemote } from '../state/remote.ts';
import { useWatched } from '../state/store.ts';
import { CategoryTile } from './category-tile.tsx';
import { Panel } from './panel.tsx';

const SHOWN = 4;

export function Related({ market, title }: { readonly market: Market; readonly title: string }) {
  const { reader, clock } = usePage();
  const now = useWatched(clock.seconds);
  const { value } = useRemote('open markets', async (signal) => {
    return (await reader.listMarkets({ status: 'open', kind: 'standard', limit: 100 }, { signal })).markets;
  });
  const likes = relatedMarkets(value ?? [], market, SHOWN);
  if (likes.length === 0) return null;
  return (
    <Panel id="likes" title={title} className="likes" testId="related">
      {likes.map(({ id, question, chance, category, expiration }) => (
        <Link key={id} className="like" href={`/m/${id}`}>
          <CategoryTile category={category} />
          <span className="grow">
            <span className="lq" title={question}>
              {question}
            </span>
            <span className="xs t2">{timeLeft(Number(expiration), now)}</span>
          </span>
          <b>{chance === null ? 'New' : percent(chance)}</b>
        </Link>
      ))}
    </Panel>
  );
}
