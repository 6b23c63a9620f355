// Category and order of the landing page's markets.
import { ALL, type MarketListQuery, SORTS } from '../lib/market-picks.ts';
import { useCategories } from '../state/use-categories.ts';
import { categoryIcon } from '../ui/category-tile.tsx';
import { Icon } from '../ui/icon.tsx';

type Filters = Omit<MarketListQuery, 'search'>;

interface FiltersProps {
  readonly query: Filters;
  readonly onChange: (part: Partial<Filters>) => void;
}

export function MarketFilters({ query, onChange }: FiltersProps) {
  const categories = [{ id: ALL, name: 'All' }, ...useCategories()];
  return (
    <div className="filters">
      <fieldset className="chips">
        <legend className="sr">Category</legend>
        <button
          type="button"
          className="chip"
          data-testid="watched-only"
          aria-pressed={query.isWatched}
          onClick={() => onChange({ isWatched: !query.isWatched })}
        >
          <Icon name="star" />
          Watching
        </button>
        {categories.map(({ id, name }) => (
          <button
            key={id}
            type="button"
            className="chip"
            aria-pressed={query.category === id}
            onClick={() => onChange({ category: id })}
          >
            {id !== ALL && <Icon name={categoryIcon(id)} />}
            {name}
          </button>
        ))}
      </fieldset>
      <label className="phone-only sort-pick">
        <span className="sr">Sort</span>
        <select
          data-testid="sort"
          value={query.sort}
          onChange={(event) => {
            const picked = SORTS.find(({ key }) => key === event.target.value);
            if (picked) onChange({ sort: picked.key });
          }}
        >
          {SORTS.map(({ key, text }) => (
            <option key={key} value={key}>
              {text}
            </option>
          ))}
        </select>
      </label>
      <fieldset className="seg wide-only">
        <legend className="sr">Sort</legend>
        {SORTS.map(({ key, text }) => (
          <button key={key} type="button" aria-pressed={query.sort === key} onClick={() => onChange({ sort: key })}>
            {text}
          </button>
        ))}
      </fieldset>
    </div>
  );
}
