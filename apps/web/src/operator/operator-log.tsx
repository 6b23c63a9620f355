// The audit log, and the market categories.
import { kindOfAction } from '@presage/sdk/operator';
import { useState } from 'react';
import { shortHash } from '../lib/format.ts';
import { clockTime } from '../lib/times.ts';
import { useRemote } from '../state/remote.ts';
import { useOperatorAct } from '../state/use-act.ts';
import { useCategories } from '../state/use-categories.ts';
import { Button, TextInput } from '../ui/controls.tsx';
import { Panel } from '../ui/panel.tsx';
import { Empty } from '../ui/states.tsx';
import { useOperator } from './operator-access.tsx';

const SHOWN = 20;

export function OperatorLog() {
  const client = useOperator('read');
  const { value } = useRemote(
    client === undefined ? '' : 'actions',
    (signal) => client!.listActions({ limit: SHOWN }, { signal }),
    { everyMs: 3_000 },
  );
  if (value === undefined) return null;
  return (
    <Panel id="log" title="Who did what" note="newest first" className="o-desk" testId="audit-log">
      {value.actions.length === 0 && <Empty icon="check" text="No operator has done anything yet." />}
      <ul className="desk">
        {value.actions.map(({ seq, time, actor, actorName, kind, action, subject, reason }) => (
          <li key={seq}>
            <div className="grow">
              <p>
                <b>{kindOfAction({ kind, action }).replaceAll('-', ' ')}</b>{' '}
                {subject !== null && <span className="t2">{shortHash(subject)}</span>}
              </p>
              <p className="sm t2">
                {actorName ?? actor}, {clockTime(time)}
                {reason !== '' && `: ${reason}`}
              </p>
            </div>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

export function OperatorCategories() {
  const client = useOperator('markets');
  const [version, setVersion] = useState(0);
  const categories = useCategories(version);
  const [name, setName] = useState('');
  const { run } = useOperatorAct();
  if (client === undefined) return null;
  const id = toCategoryId(name);
  const renew = () => setVersion((count) => count + 1);
  const define = async () => {
    if (id === '') return;
    if (await run('The category is defined', () => client.defineCategory(id, name.trim()))) setName('');
    renew();
  };
  const remove = async (removed: string) => {
    await run('The category is removed', () => client.removeCategory(removed));
    renew();
  };
  return (
    <Panel id="categories" title="Categories" className="o-pad o-third" head="" testId="operator-categories">
      <div className="o-line">
        <TextInput
          className="input"
          aria-label="Name of a new category"
          placeholder="Sports"
          maxLength={40}
          value={name}
          onText={setName}
        />
        <Button look="line sm" testId="define-category" onClick={() => void define()}>
          Define
        </Button>
      </div>
      <ul className="o-stopped" aria-label="Defined categories">
        {categories.map((category) => (
          <li key={category.id}>
            <span className="grow">
              {category.name} <span className="t2">{category.id}</span>
            </span>
            {category.id !== 'general' && (
              <Button look="line sm" onClick={() => void remove(category.id)}>
                Remove<span className="sr"> {category.name}</span>
              </Button>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function toCategoryId(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 32);
}
