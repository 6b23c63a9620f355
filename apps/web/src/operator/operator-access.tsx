// The operator's key: typed in and kept in memory only in live, the sandbox's own key in a sandbox.
import type { OperatorRight } from '@presage/sdk';
import type { OperatorClient } from '@presage/sdk/operator';
import { type FormEvent, useEffect, useState } from 'react';
import { toFailure } from '../state/failure.ts';
import { operatorAccess, parseOperatorKey } from '../state/operator-access.ts';
import { usePage } from '../state/page-context.ts';
import { useConfig } from '../state/service-config.ts';
import { useWatched } from '../state/store.ts';
import { Button, TextInput } from '../ui/controls.tsx';
import { Panel } from '../ui/panel.tsx';

/** Opens the sandbox's own key. Returns whether there is one; undefined until that is known. */
export function useSandboxKey(): boolean | undefined {
  const { sandbox } = usePage();
  const { sandbox: isSandbox } = useConfig();
  const [isThere, setIsThere] = useState(isSandbox ? undefined : false);
  useEffect(() => {
    if (!isSandbox) return;
    const open = async () => operatorAccess.opened.get() ?? operatorAccess.open(await sandbox.getOperatorKey());
    // Without the key the screen still shows everything, and the form asks for a key.
    open().then(
      () => setIsThere(true),
      () => setIsThere(false),
    );
  }, [isSandbox, sandbox]);
  return isThere;
}

/** The operator's client; undefined without a key, or if the key lacks the right. */
export function useOperator(right: OperatorRight): OperatorClient | undefined {
  const opened = useWatched(operatorAccess.opened);
  return opened?.key.rights.includes(right) ? opened.client : undefined;
}

export function OperatorAccessPanel() {
  const opened = useWatched(operatorAccess.opened);
  return (
    <Panel
      id="access"
      title="Your key"
      aside={opened && <span className="badge is-good">Open</span>}
      className="o-pad o-third"
      head="row between"
      testId="operator-access"
    >
      {opened ? (
        <>
          <p data-testid="operator-name">
            <b>{opened.key.name}</b> <span className="t2">may {opened.key.rights.join(', ')}</span>
          </p>
          <Button look="line" onClick={() => operatorAccess.close()}>
            Forget this key
          </Button>
        </>
      ) : (
        <KeyForm />
      )}
    </Panel>
  );
}

function KeyForm() {
  const [text, setText] = useState('');
  const [fault, setFault] = useState('');
  const open = async (event: FormEvent) => {
    event.preventDefault();
    const key = parseOperatorKey(text);
    if (key === undefined) return setFault('Paste the id and the private key: op_… and 64 hex digits.');
    try {
      await operatorAccess.open(key);
    } catch (error) {
      setFault(`${toFailure(error).message}. Open this page at the address of the admin listener.`);
    }
  };
  return (
    <form className="o-fields is-flush" onSubmit={(event) => void open(event)}>
      <label htmlFor="operator-key">
        Operator key
        <TextInput
          id="operator-key"
          type="password"
          autoComplete="off"
          spellCheck={false}
          placeholder="op_… 64 hex digits"
          value={text}
          onText={setText}
          aria-describedby="key-note"
        />
      </label>
      <p id="key-note" className={fault === '' ? 'sm t2' : 'sm warn'} role="status">
        {fault || 'It is kept until this tab is closed.'}
      </p>
      <Button look="main" type="submit">
        Use this key
      </Button>
    </form>
  );
}
