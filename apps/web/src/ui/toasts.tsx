// The messages at the edge of the screen: at most three, the others counted; failures are announced at once.

import { usePage } from '../state/page-context.ts';
import { useWatched } from '../state/store.ts';
import type { Toast, ToastTone } from '../state/toasts.ts';
import { Button } from './controls.tsx';
import { ExplorerLink } from './explorer-link.tsx';
import { Icon, type IconName } from './icon.tsx';

const SHOWN = 3;
const ICONS: Readonly<Record<ToastTone, IconName>> = { ok: 'check', wait: 'clock', warn: 'alert', bad: 'cross' };

export function ToastList() {
  const { toasts } = usePage();
  const list = useWatched(toasts.list);
  const more = list.length - SHOWN;
  return (
    <section className="toasts" aria-label="Messages" data-testid="toasts">
      {list.slice(0, SHOWN).map((toast) => (
        <ToastCard key={toast.key} toast={toast} onDismiss={() => toasts.dismiss(toast.key)} />
      ))}
      {more > 0 && <p className="badge">{more} more</p>}
    </section>
  );
}

function ToastCard({ toast, onDismiss }: { readonly toast: Toast; readonly onDismiss: () => void }) {
  const { tone, title, text, link, txHash, requestId } = toast;
  return (
    <div
      className={`toast is-${tone}`}
      role={tone === 'bad' ? 'alert' : 'status'}
      data-testid="toast"
      data-tone={tone}
      data-key={toast.key}
    >
      <span className="badge-i">{tone === 'wait' ? <span className="spin" /> : <Icon name={ICONS[tone]} />}</span>
      <div>
        <b>{title}</b>
        {text && <p>{text}</p>}
        {txHash && (
          <ExplorerLink txHash={txHash} fallback={null}>
            <span className="link sm">See the transaction</span>
          </ExplorerLink>
        )}
        {link && (
          <a className="link sm" href={link.href} target="_blank" rel="noreferrer">
            {link.text}
          </a>
        )}
        {requestId && (
          <details className="sm t3">
            <summary>Why?</summary>
            Request {requestId}
          </details>
        )}
      </div>
      <Button className="icon-btn" aria-label={`Dismiss: ${title}`} onClick={onDismiss}>
        <Icon name="cross" />
      </Button>
    </div>
  );
}
