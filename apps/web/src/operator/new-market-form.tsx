// A new market: its question, rule, category and end, with the card and the rules as traders will see them.
import type { OperatorClient } from '@presage/sdk/operator';
import { type FormEvent, useState } from 'react';
import { navigate } from '../app/router.tsx';
import { timeLeft } from '../lib/times.ts';
import { toFailure } from '../state/failure.ts';
import { usePage } from '../state/page-context.ts';
import { useWatched } from '../state/store.ts';
import { useCategories } from '../state/use-categories.ts';
import { CategoryTile } from '../ui/category-tile.tsx';
import { Icon } from '../ui/icon.tsx';
import { useOperator } from './use-operator.ts';

const QUESTION_MAX = 200;
const MINUTE = 60;

interface Draft {
  readonly question: string;
  readonly rule: string;
  /** Where the answer comes from. */
  readonly source: string;
  readonly imageUrl: string;
  readonly category: string;
  /** The field's value in UTC: `2027-01-31T23:59`. */
  readonly ends: string;
}

function checksOf({ question, rule, source, imageUrl, ends }: Draft, now: number) {
  return [
    { text: 'A question with one answer', isMet: question.trim().length >= 10 && question.trim().endsWith('?') },
    { text: 'Says where the answer comes from', isMet: source.trim() !== '' || rule.trim().length >= 20 },
    { text: 'A picture at an https address, or none', isMet: imageUrl === '' || imageUrl.startsWith('https://') },
    { text: 'Ends in the future', isMet: endOf(ends) > now + MINUTE },
  ];
}

function endOf(text: string): number {
  return Math.floor(Date.parse(`${text}Z`) / 1_000) || 0;
}

/** For those whose key may create markets. */
export function NewMarketForm() {
  const client = useOperator('markets');
  return client === undefined ? null : <Form client={client} />;
}

const EMPTY: Draft = { question: '', rule: '', source: '', imageUrl: '', category: 'general', ends: '' };

function Form({ client }: { readonly client: OperatorClient }) {
  const { clock } = usePage();
  const now = useWatched(clock.seconds);
  const [draft, setDraft] = useState<Draft>(EMPTY);
  const change = (part: Partial<Draft>) => setDraft((before) => ({ ...before, ...part }));
  return (
    <>
      <section className="panel o-form" aria-labelledby="h-new">
        <div className="panel-head">
          <h2 id="h-new">New market</h2>
          <span className="sm t2">Opens at once</span>
        </div>
        <Fields client={client} draft={draft} now={now} onChange={change} />
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
  readonly client: OperatorClient;
  readonly draft: Draft;
  readonly now: number;
  readonly onChange: (part: Partial<Draft>) => void;
}

function Fields({ client, draft, now, onChange }: FieldsProps) {
  const { toasts } = usePage();
  const categories = useCategories();
  const [isBusy, setIsBusy] = useState(false);
  const checks = checksOf(draft, now);
  const missing = checks.find(({ isMet }) => !isMet);
  const list = async (event: FormEvent) => {
    event.preventDefault();
    if (isBusy || missing !== undefined) return;
    setIsBusy(true);
    try {
      const { rule: description, ends, ...texts } = draft;
      const { marketId, listed } = await client.createMarket({ ...texts, description, expiration: endOf(ends) });
      if (listed) navigate(`/m/${marketId}`);
      else
        toasts.show({
          key: 'list',
          tone: 'wait',
          title: 'On its way',
          text: 'It is listed when its block is confirmed.',
        });
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
          Source
          <input value={draft.source} maxLength={512} onChange={(event) => onChange({ source: event.target.value })} />
        </label>
        <label>
          Picture (https)
          <input value={draft.imageUrl} onChange={(event) => onChange({ imageUrl: event.target.value })} />
        </label>
      </div>
      <div className="o-two">
        <label>
          Category
          <select value={draft.category} onChange={(event) => onChange({ category: event.target.value })}>
            {categories.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
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
