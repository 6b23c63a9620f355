// The search in the top bar: filters the landing page as the user types; on every other screen it lists results for mouse and keyboard.
import { type FocusEvent, type FormEvent, type KeyboardEvent, useDeferredValue, useMemo, useState } from 'react';
import { chanceText, hrefOf, type Listed } from '../lib/listed.ts';
import { ALL, pickListed } from '../lib/market-picks.ts';
import { usePage } from '../state/page-context.ts';
import { useWatched } from '../state/store.ts';
import { TextInput } from '../ui/controls.tsx';
import { Icon } from '../ui/icon.tsx';
import { Link, navigate, toScreen, usePath } from './router.tsx';

const MOST = 6;
const EVERY_MARKET = { category: ALL, sort: 'volume', isWatched: false } as const;
const NOBODY: ReadonlySet<string> = new Set();

export function Search({ listed }: { readonly listed: readonly Listed[] }) {
  const { search } = usePage();
  const text = useDeferredValue(useWatched(search));
  const isLanding = toScreen(usePath()).name === 'landing';
  const [isOpen, setIsOpen] = useState(false);
  const found = useMemo(
    () =>
      isLanding || text.trim() === ''
        ? []
        : pickListed(listed, { ...EVERY_MARKET, search: text }, NOBODY).slice(0, MOST),
    [isLanding, text, listed],
  );
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    navigate('/');
  };
  const onBlur = ({ currentTarget, relatedTarget }: FocusEvent<HTMLFormElement>) => {
    if (!currentTarget.contains(relatedTarget)) setIsOpen(false);
  };
  const onPick = () => {
    setIsOpen(false);
    search.set('');
  };
  return (
    <search>
      <form
        className="search"
        onSubmit={onSubmit}
        onFocus={() => setIsOpen(true)}
        onBlur={onBlur}
        onKeyDown={(event) => moveFocus(event, () => setIsOpen(false))}
      >
        <Icon name="search" />
        <SearchInput label="Search markets" testId="search" />
        <span className="kbd" aria-hidden="true">
          /
        </span>
        {isOpen && found.length > 0 && (
          <ul className="search-results" aria-label="Markets that fit">
            {found.map((each) => (
              <li key={each.id}>
                <Link href={hrefOf(each)} data-testid="search-result" onClick={onPick}>
                  <span className="grow">{each.question}</span>
                  <b>{chanceText(each)}</b>
                </Link>
              </li>
            ))}
          </ul>
        )}
      </form>
    </search>
  );
}

/** Arrow keys move the focus from the field through the results and back; Escape closes the results. */
function moveFocus(event: KeyboardEvent<HTMLFormElement>, close: () => void): void {
  if (event.key === 'Escape') close();
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  const { activeElement } = document;
  if (activeElement === null) return;
  const places = [...event.currentTarget.querySelectorAll('input, a')];
  const next = places[places.indexOf(activeElement) + step];
  if (next instanceof HTMLElement) next.focus();
  event.preventDefault();
}

interface SearchInputProps {
  readonly label: string;
  readonly testId: string;
  readonly className?: string;
}

export function SearchInput({ label, testId, className }: SearchInputProps) {
  const { search } = usePage();
  return (
    <TextInput
      type="search"
      className={className}
      placeholder="Search markets"
      aria-label={label}
      autoComplete="off"
      data-testid={testId}
      value={useWatched(search)}
      onText={(text) => search.set(text)}
    />
  );
}
