// The tabs at the bottom of a phone: the main places, and a sheet with the rest.
import { useState } from 'react';
import { switchTheme } from '../state/preferences.ts';
import { useConfig } from '../state/service-config.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Icon } from '../ui/icon.tsx';
import { usePlaces } from './places.ts';
import { Link } from './router.tsx';
import { SandboxPanel } from './sandbox-panel.tsx';

/** A phone has room for three places beside the button for the rest. */
const IN_MORE: ReadonlySet<string> = new Set(['proof', 'operator']);

export function TabBar({ onHelp }: { readonly onHelp: () => void }) {
  const [open, setOpen] = useState<'more' | 'sandbox'>();
  const places = usePlaces();
  const close = () => setOpen(undefined);
  const isMore = places.some(({ name, isCurrent }) => IN_MORE.has(name) && isCurrent);
  return (
    <>
      <nav className="tabbar" aria-label="Places" data-testid="tab-bar">
        {places
          .filter(({ name }) => !IN_MORE.has(name))
          .map(({ name, text, href, icon, isCurrent }) => (
            <Link key={name} href={href} aria-current={isCurrent ? 'page' : undefined}>
              <Icon name={icon} size={22} />
              {text}
            </Link>
          ))}
        <button type="button" data-testid="more" aria-current={isMore || undefined} onClick={() => setOpen('more')}>
          <Icon name="more" size={22} />
          More
        </button>
      </nav>
      <Dialog title="More" isOpen={open === 'more'} onClose={close} isSheet>
        <MoreMenu onHelp={onHelp} onSandbox={() => setOpen('sandbox')} onClose={close} />
      </Dialog>
      <Dialog title="Sandbox" isOpen={open === 'sandbox'} onClose={close} isDrawer>
        <SandboxPanel />
      </Dialog>
    </>
  );
}

interface MoreProps {
  readonly onHelp: () => void;
  readonly onSandbox: () => void;
  readonly onClose: () => void;
}

function MoreMenu({ onHelp, onSandbox, onClose }: MoreProps) {
  const { sandbox } = useConfig();
  return (
    <div className="menu">
      <Link href="/proof" onClick={onClose}>
        <Icon name="check" size={20} />
        Proof
      </Link>
      <Link href="/operator" onClick={onClose}>
        <Icon name="pulse" size={20} />
        Operator
      </Link>
      {sandbox && (
        <button type="button" onClick={onSandbox}>
          <Icon name="gift" size={20} />
          Sandbox: demo money
        </button>
      )}
      <button type="button" onClick={switchTheme}>
        <Icon name="moon" size={20} />
        Switch between dark and light
      </button>
      <button
        type="button"
        onClick={() => {
          onClose();
          onHelp();
        }}
      >
        <Icon name="help" size={20} />
        Keys and help
      </button>
    </div>
  );
}
