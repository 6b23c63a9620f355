// The tabs at the bottom of a phone: the main places, and a sheet with the rest.
import { useState } from 'react';
import { switchTheme } from '../state/preferences.ts';
import { useConfig } from '../state/service-config.ts';
import { Button } from '../ui/controls.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Icon, type IconName } from '../ui/icon.tsx';
import { usePlaces } from './places.ts';
import { Link } from './router.tsx';
import { SandboxControls } from './sandbox-controls.tsx';
import { ToClaim } from './top-bar.tsx';

/** Places behind the "more" button: a phone has room for only three beside it. */
const IN_MORE: ReadonlySet<string> = new Set(['leaderboard', 'proof', 'operator']);

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
          .map(({ name, text, href, icon, isCurrent, count }) => (
            <Link key={name} href={href} aria-current={isCurrent ? 'page' : undefined}>
              <Icon name={icon} size={22} />
              <span className="row">
                {text}
                <ToClaim count={count} />
              </span>
            </Link>
          ))}
        <Button testId="more" aria-current={isMore || undefined} onClick={() => setOpen('more')}>
          <Icon name="more" size={22} />
          More
        </Button>
      </nav>
      <Dialog title="More" isOpen={open === 'more'} onClose={close} isSheet>
        <MoreMenu onHelp={onHelp} onSandbox={() => setOpen('sandbox')} onClose={close} />
      </Dialog>
      <Dialog title="Sandbox" isOpen={open === 'sandbox'} onClose={close} isDrawer>
        <SandboxControls />
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
  const help = () => {
    onClose();
    onHelp();
  };
  const actions: readonly { icon: IconName; text: string; onClick: () => void }[] = [
    ...(sandbox ? [{ icon: 'gift' as const, text: 'Sandbox: demo money', onClick: onSandbox }] : []),
    { icon: 'moon', text: 'Switch between dark and light', onClick: switchTheme },
    { icon: 'help', text: 'Keyboard shortcuts', onClick: help },
  ];
  return (
    <div className="menu">
      {usePlaces()
        .filter(({ name }) => IN_MORE.has(name))
        .map(({ name, text, href, icon }) => (
          <Link key={name} href={href} onClick={onClose}>
            <Icon name={icon} size={20} />
            {text}
          </Link>
        ))}
      {actions.map(({ icon, text, onClick }) => (
        <Button key={text} onClick={onClick}>
          <Icon name={icon} size={20} />
          {text}
        </Button>
      ))}
    </div>
  );
}
