// The messages in a strip at the bottom, which covers nothing: at most three, the others counted. Failures are announced immediately.
import { useEffect } from 'react';
import { Link } from '../app/router.tsx';
import { usePage } from '../state/page-context.ts';
import { useWatched } from '../state/store.ts';
import type { Toast, ToastTone } from '../state/toasts.ts';
import { useSize } from '../state/use-size.ts';
import { Button } from './controls.tsx';
import { ExplorerLink } from './explorer-link.tsx';
import { Icon, type IconName } from './icon.tsx';

const SHOWN = 3;
/** Padding above and below the messages, and the line on top. */
const STRIP_PADDING = 21;
const ICONS: Readonly<Record<ToastTone, IconName>> = { ok: 'check', wait: 'clock', warn: 'alert', bad: 'cross' };

export function ToastList() {
  const { toasts } = usePage();
  const list = useWatched(toasts.list);
  const more = list.length - SHOWN;
  const [holder, { height }] = useSize();
  // Screens end above the strip, so that a message covers nothing.
  useEffect(() => {
    document.documentElement.style.setProperty('--toasts', list.length === 0 ? '0px' : `${height + STRIP_PADDING}px`);
  }, [height, list.length]);
  return (
    <section className={list.length === 0 ? 'toasts is-empty' : 'toasts'} aria-label="Messages" data-testid="toasts">
      <div className="toast-row" ref={holder}>
        {list.slice(0, SHOWN).map((toast) => (
          <ToastCard key={toast.key} toast={toast} onDismiss={() => toasts.dismiss(toast.key)} />
        ))}
        {more > 0 && <p className="badge">{more} more</p>}
      </div>
    </section>
  );
}

function ToastCard({ toast, onDismiss }: { readonly toast: Toast; readonly onDismiss: () => void }) {
  const { tone, title, text, link, txHash, chainId, requestId } = toast;
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
          <ExplorerLink txHash={txHash} chainId={chainId} fallback={null}>
            <span className="link sm">See the transaction</span>
          </ExplorerLink>
        )}
        {link && (
          <Link className="link sm" href={link.href}>
            {link.text}
          </Link>
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
