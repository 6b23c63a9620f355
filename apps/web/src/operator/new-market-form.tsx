// The form for a new market, with a preview of its card and rules as traders will see them.
import type { OperatorClient } from '@presage/sdk/operator';
import { type FormEvent, useState } from 'react';
import { navigate } from '../app/router.tsx';
import { timeLeft } from '../lib/times.ts';
import { toFailure } from '../state/failure.ts';
import { usePage } from '../state/page-context.ts';
import { useWatched } from '../state/store.ts';
import { useCategories } from '../state/use-categories.ts';
import { CategoryTile } from '../ui/category-tile.tsx';
import { Button, Select } from '../ui/controls.tsx';
import { Icon } from '../ui/icon.tsx';
import { Panel } from '../ui/panel.tsx';
import { useOperator } from './operator-access.tsx';

const QUESTION_MAX = 200;
const MINUTE = 60;

interface Draft {
  readonly question: string;
  readonly rule: string;
  readonly source: string;
  readonly imageUrl: string;
  readonly category: string;
  /** End in UTC, as the field holds it: `2027-01-31T23:59`. */
  readonly ends: string;
  /** When a result may be proposed: `early` allows it before trading ends too. */
  readonly proposals: string;
}

const PROPOSALS = [
  { value: 'late', text: 'When trading has ended' },
  { value: 'early', text: 'As soon as it is known' },
];

function checksOf({ question, rule, source, imageUrl, ends }: Draft, now: number) {
  return [
    { text: 'A question with one answer', isMet: question.trim().length >= 10 && question.trim().endsWith('?') },
    { text: 'Names the source of the answer', isMet: source.trim() !== '' || rule.trim().length >= 20 },
    { text: 'A picture at an https address, or none', isMet: imageUrl === '' || imageUrl.startsWith('https://') },
    { text: 'Ends in the future', isMet: endOf(ends) > now + MINUTE },
  ];
}

function endOf(text: string): number {
  return Math.floor(Date.parse(`${text}Z`) / 1_000) || 0;
}

export function NewMarketForm() {
  const client = useOperator('markets');
  return client === undefined ? null : <Form client={client} />;
}

const EMPTY: Draft = {
  question: '',
  rule: '',
  source: '',
  imageUrl: '',
  category: 'general',
  ends: '',
  proposals: 'late',
};

function Form({ client }: { readonly client: OperatorClient }) {
  const { clock } = usePage();
  const now = useWatched(clock.seconds);
  const [draft, setDraft] = useState<Draft>(EMPTY);
  const change = (part: Partial<Draft>) => setDraft((before) => ({ ...before, ...part }));
  return (
    <>
      <Panel id="new" title="New market" note="Opens immediately" className="o-form">
        <Fields client={client} draft={draft} now={now} onChange={change} />
      </Panel>
      <Panel id="preview" title="As traders see it" className="o-preview">
        <Preview draft={draft} now={now} />
      </Panel>
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
  const { isBusy, list } = useListing(client);
  const checks = checksOf(draft, now);
  const missing = checks.find(({ isMet }) => !isMet);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (missing === undefined) void list(draft);
  };
  /** Attributes of a text field. */
  const text = (name: keyof Draft) => ({
    value: draft[name],
    onChange: (event: { readonly target: { readonly value: string } }) => onChange({ [name]: event.target.value }),
  });
  const categories = useCategories().map(({ id, name }) => ({ value: id, text: name }));
  return (
    <form className="o-fields" onSubmit={submit} data-testid="new-market">
      <label>
        Question
        <textarea rows={2} maxLength={QUESTION_MAX} {...text('question')} />
      </label>
      <label>
        YES if
        <textarea rows={3} {...text('rule')} />
      </label>
      <div className="o-two">
        <label>
          Source
          <input maxLength={512} {...text('source')} />
        </label>
        <label>
          Picture (https)
          <input {...text('imageUrl')} />
        </label>
      </div>
      <div className="o-two">
        <label htmlFor="new-category">
          Category
          <Select
            id="new-category"
            value={draft.category}
            options={categories}
            onPick={(category) => onChange({ category })}
          />
        </label>
        <label>
          Trading ends (UTC)
          <input type="datetime-local" {...text('ends')} />
        </label>
      </div>
      <label htmlFor="new-proposals">
        A result can be proposed
        <Select
          id="new-proposals"
          value={draft.proposals}
          options={PROPOSALS}
          onPick={(proposals) => onChange({ proposals })}
        />
      </label>
      <ul className="checks" aria-label="Checks">
        {checks.map((check) => (
          <Check key={check.text} {...check} />
        ))}
      </ul>
      <Button look="main" type="submit" aria-disabled={missing !== undefined} aria-busy={isBusy}>
        {isBusy ? 'Listing…' : missing === undefined ? 'List this market' : `Missing: ${missing.text.toLowerCase()}`}
      </Button>
    </form>
  );
}

function Check({ text, isMet }: { readonly text: string; readonly isMet: boolean }) {
  return (
    <li className={isMet ? '' : 't2'}>
      <Icon name={isMet ? 'check' : 'flat'} size={14} />
      {text}
      <span className="sr">{isMet ? ': yes' : ': not yet'}</span>
    </li>
  );
}

/** Lists a market and opens it, or reports that its block is not confirmed yet. */
function useListing(client: OperatorClient) {
  const { toasts } = usePage();
  const [isBusy, setIsBusy] = useState(false);
  const list = async ({ rule: description, ends, proposals, ...texts }: Draft) => {
    if (isBusy) return;
    setIsBusy(true);
    try {
      const terms = { expiration: endOf(ends), earlyResolution: proposals === 'early' };
      const { marketId, listed } = await client.createMarket({ ...texts, description, ...terms });
      const text = 'It is listed when its block is confirmed.';
      if (listed) navigate(`/m/${marketId}`);
      else toasts.show({ key: 'list', tone: 'wait', title: 'On its way', text });
    } catch (error) {
      const { message, remedy, requestId } = toFailure(error);
      toasts.show({ key: 'list', tone: 'bad', title: 'Not listed', text: `${message}. ${remedy ?? ''}`, requestId });
    }
    setIsBusy(false);
  };
  return { isBusy, list };
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
