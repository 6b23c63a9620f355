// The bar on top: places, search, whether the data is live, the sandbox, the theme, and the purse.
import { useState } from 'react';
import type { Listed } from '../lib/listed.ts';
import { usePage } from '../state/page-context.ts';
import { switchTheme, usePreferences } from '../state/preferences.ts';
import { useConfig } from '../state/service-config.ts';
import { useWatched } from '../state/store.ts';
import { Button } from '../ui/controls.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Icon } from '../ui/icon.tsx';
import { Ring } from '../ui/ring.tsx';
import { NoticesMenu } from './notices-menu.tsx';
import { usePlaces } from './places.ts';
import { Link } from './router.tsx';
import { SandboxControls } from './sandbox-controls.tsx';
import { Search } from './search.tsx';
import { WalletMenu } from './wallet-menu.tsx';

interface TopBarProps {
  readonly onHelp: () => void;
  readonly listed: readonly Listed[];
}

export function TopBar({ onHelp, listed }: TopBarProps) {
  const { service, sandbox } = useConfig();
  const places = usePlaces();
  return (
    <header className="topbar">
      <Link className="brand" href="/" aria-label={`${service}: all markets`}>
        <Ring share={0.64} size={22} stroke={4.5} />
        <span className="brand-name">{service}</span>
      </Link>
      <nav className="nav" aria-label="Main">
        {places.map(({ name, text, href, isCurrent, count }) => (
          <Link key={name} href={href} aria-current={isCurrent ? 'page' : undefined}>
            {text}
            <ToClaim count={count} />
          </Link>
        ))}
      </nav>
      <Search listed={listed} />
      <div className="grow gap" />
      <div className="tools">
        <ConnectionPill />
        {sandbox && <SandboxButton />}
        <ThemeSwitch />
        <NoticesMenu />
        <WalletMenu onHelp={onHelp} />
      </div>
    </header>
  );
}

/** Badge with the number of markets that have winnings to claim. */
export function ToClaim({ count }: { readonly count: number }) {
  if (count === 0) return null;
  return (
    <span className="count" data-testid="to-claim">
      {count}
      <span className="sr"> to redeem</span>
    </span>
  );
}

function ConnectionPill() {
  const { state, latencyMs } = useWatched(usePage().connection.state);
  const text = { connecting: 'Connecting', live: 'Live', stale: 'Reconnecting' }[state];
  const title = latencyMs === undefined ? undefined : `The service answers in ${latencyMs} ms`;
  return (
    <span className="live" data-testid="conn" data-state={state} role="status" title={title}>
      <span className="dot" aria-hidden="true" />
      {text}
    </span>
  );
}

function ThemeSwitch() {
  const { theme } = usePreferences();
  return (
    <Button
      className="icon-btn wide-only"
      testId="theme"
      aria-label="Switch between dark and light"
      onClick={switchTheme}
    >
      <Icon name={theme === 'dark' ? 'moon' : 'sun'} size={18} />
    </Button>
  );
}

function SandboxButton() {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button className="badge is-warn wide-only" testId="open-sandbox" onClick={() => setIsOpen(true)}>
        <Icon name="gift" />
        <span>
          Sandbox<span className="long">: demo money</span>
        </span>
      </Button>
      <Dialog title="Sandbox" isOpen={isOpen} onClose={() => setIsOpen(false)} isDrawer>
        <SandboxControls />
      </Dialog>
    </>
  );
}
