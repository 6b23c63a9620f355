// Whose key acts here: asked for in live and kept in memory only, in a sandbox its own.
import { type FormEvent, useEffect, useState } from 'react';
import { toFailure } from '../state/failure.ts';
import { parseOperatorKey } from '../state/operator-access.ts';
import { usePage } from '../state/page-context.ts';
import { useConfig } from '../state/service-config.ts';
import { useWatched } from '../state/store.ts';

/** Opens the sandbox's own key. Whether there is one; undefined until that is known. */
export function useSandboxKey(): boolean | undefined {
  const { operator, sandbox } = usePage();
  const { sandbox: isSandbox } = useConfig();
  const [isThere, setIsThere] = useState(isSandbox ? undefined : false);
  useEffect(() => {
    if (!isSandbox) return;
    const open = async () => operator.opened.get() ?? operator.open(await sandbox.getOperatorKey());
    // Without it the screen still shows everything; the form asks instead.
    open().then(
      () => setIsThere(true),
      () => setIsThere(false),
    );
  }, [isSandbox, operator, sandbox]);
  return isThere;
}

export function OperatorAccessPanel() {
  const { operator } = usePage();
  const opened = useWatched(operator.opened);
  return (
    <section className="panel o-pad o-third" aria-labelledby="h-access" data-testid="operator-access">
      <div className="row between">
        <h2 id="h-access">Your key</h2>
        {opened && <span className="badge is-good">Open</span>}
      </div>
      {opened ? (
        <>
          <p data-testid="operator-name">
            <b>{opened.key.name}</b> <span className="t2">may {opened.key.rights.join(', ')}</span>
          </p>
          <button type="button" className="btn btn-line" onClick={() => operator.close()}>
            Forget this key
          </button>
        </>
      ) : (
        <KeyForm />
      )}
    </section>
  );
}

function KeyForm() {
  const { operator } = usePage();
  const [text, setText] = useState('');
  const [fault, setFault] = useState('');
  const open = async (event: FormEvent) => {
    event.preventDefault();
    const key = parseOperatorKey(text);
    if (key === undefined) {
      setFault('Paste the id and the private key: op_… and 64 hex digits.');
      return;
    }
    try {
      await operator.open(key);
    } catch (error) {
      const { message } = toFailure(error);
      setFault(`${message}. Operators act at the address of the admin listener.`);
    }
  };
  return (
    <form className="o-fields is-flush" onSubmit={(event) => void open(event)}>
      <label>
        Operator key
        <input
          type="password"
          autoComplete="off"
          spellCheck={false}
          placeholder="op_… 64 hex digits"
          value={text}
          onChange={(event) => setText(event.target.value)}
          aria-describedby="key-note"
        />
      </label>
      <p id="key-note" className={fault === '' ? 'sm t2' : 'sm warn'} role="status">
        {fault || 'It stays in this tab and is gone with it.'}
      </p>
      <button type="submit" className="btn btn-main">
        Use this key
      </button>
    </form>
  );
}
