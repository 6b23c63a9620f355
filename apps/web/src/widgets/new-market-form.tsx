// A new market of the sandbox: its question, rule, category and end, with the card and the rules as traders will see them.
import type { Market } from '@presage/sdk';
import { type FormEvent, useState } from 'react';
import { navigate } from '../app/router.tsx';
import { timeLeft } from '../lib/times.ts';
import { toFailure } from '../state/failure.ts';
import { usePage } from '../state/page-context.ts';
import { useWatched } from '../state/store.ts';
import { CategoryTile, categoryText } from './category-tile.tsx';
import { Icon } from './icon.tsx';

const CATEGORIES: readonly Market['category'][] = ['defi', 'protocol', 'stablecoin', 'general'];
const QUESTION_MAX = 200;
const MINUTE = 60;

interface Draft {
  readonly question: string;
  readonly rule: string;
  readonly category: Market['category'];
  /** As the field holds it: `2027-01-31T23:59`, in UTC. */
  readonly ends: string;
}

function checksOf({ question, rule, ends }: Draft, now: number) {
  return [
    { text: 'A question with one answer', isMet: question.trim().length >= 10 && question.trim().endsWith('?') },
    { text: 'Says where the answer comes from', isMet: rule.trim().length >= 20 },
    { text: 'Ends in the future', isMet: endOf(ends) > now + MINUTE },
  ];
}

function endOf(text: string): number {
  return Math.floor(Date.parse(`${text}Z`) / 1_000) || 0;
}

export function NewMarketForm() {
  const { clock } = usePage();
  const now = useWatched(clock.seconds);
  const [draft, setDraft] = useState<Draft>({ question: '', rule: '', category: 'general', ends: '' });
  const change = (part: Partial<Draft>) => setDraft((before) => ({ ...before, ...part }));
  return (
    <>
      <section className="panel o-form" aria-labelledby="h-new">
        <div className="panel-head">
          <h2 id="h-new">New market</h2>
          <span className="sm t2">Opens at once</span>
        </div>
        <Fields draft={draft} now={now} onChange={change} />
      </section>
      <section className="panel o-preview" aria-labelledby="h-preview">
        <div className="panel-head">
          <h2 id="h-preview">As traders see it</h2>
        </div>
        <Preview draft={draft} now={now} />
      </section>
    </>
  );
}

interface FieldsProps {
  readonly draft: Draft;
  readonly now: number;
  readonly onChange: (part: Partial<Draft>) => void;
}

function Fields({ draft, now, onChange }: FieldsProps) {
  const { sandbox, toasts } = usePage();
  const [isBusy, setIsBusy] = useState(false);
  const checks = checksOf(draft, now);
  const missing = checks.find(({ isMet }) => !isMet);
  const list = async (event: FormEvent) => {
    event.preventDefault();
    if (isBusy || missing !== undefined) return;
    setIsBusy(true);
    try {
      const { question, rule: description, category, ends } = draft;
      const market = await sandbox.createMarket({ question, description, category, expiresIn: endOf(ends) - now });
      navigate(`/m/${market.id}`);
    } catch (error) {
      const { message, remedy, requestId } = toFailure(error);
      toasts.show({ key: 'list', tone: 'bad', title: 'Not listed', text: `${message}. ${remedy ?? ''}`, requestId });
    }
    setIsBusy(false);
  };
  return (
    <form className="o-fields" onSubmit={(event) => void list(event)} data-testid="new-market">
      <label>
        Question
        <textarea
          rows={2}
          maxLength={QUESTION_MAX}
          value={draft.question}
          onChange={(event) => onChange({ question: event.target.value })}
        />
      </label>
      <label>
        YES if
        <textarea rows={3} value={draft.rule} onChange={(event) => onChange({ rule: event.target.value })} />
      </label>
      <div className="o-two">
        <label>
          Category
          <select
            value={draft.category}
            onChange={(event) => onChange({ category: event.target.value as Market['category'] })}
          >
            {CATEGORIES.map((category) => (
              <option key={category} value={category}>
                {categoryText(category)}
              </option>
            ))}
          </select>
        </label>
        <label>
          Trading ends (UTC)
          <input
            type="datetime-local"
            value={draft.ends}
            onChange={(event) => onChange({ ends: event.target.value })}
          />
        </label>
      </div>
      <ul className="checks" aria-label="Checks">
        {checks.map(({ text, isMet }) => (
          <li key={text} className={isMet ? '' : 't2'}>
            <Icon name={isMet ? 'check' : 'flat'} size={14} />
            {text}
            <span className="sr">{isMet ? ': yes' : ': not yet'}</span>
          </li>
        ))}
      </ul>
      <button type="submit" className="btn btn-main" aria-disabled={missing !== undefined} aria-busy={isBusy}>
        {isBusy ? 'Listing…' : missing === undefined ? 'List this market' : `Missing: ${missing.text.toLowerCase()}`}
      </button>
    </form>
  );
}

function Preview({ draft, now }: { readonly draft: Draft; readonly now: number }) {
  const ends = endOf(draft.ends);
  return (
    <div className="o-shown">
      <article className="card">
        <div className="card-top">
          <CategoryTile category={draft.category} />
          <h3 className="card-q">{draft.question || 'Your question?'}</h3>
        </div>
        <div className="card-mid">
          <div className="card-chance">
            <b>New</b>
            <span className="t2">no price yet</span>
          </div>
        </div>
        <div className="card-foot">
          <span>$0 volume</span>
          <span>{ends > now ? timeLeft(ends, now) : 'no end yet'}</span>
        </div>
      </article>
      <div className="o-rule">
        <span className="label">Rules</span>
        <p>YES if {draft.rule || '…'}</p>
      </div>
    </div>
  );
}
