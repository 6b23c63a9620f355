// The bar on top: places, search, whether the data is live, the sandbox, the theme, and the purse.
import { type FormEvent, useState } from 'react';
import { usePage } from '../state/page-context.ts';
import { switchTheme, usePreferences } from '../state/preferences.ts';
import { useConfig } from '../state/service-config.ts';
import { useWatched } from '../state/store.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Icon } from '../ui/icon.tsx';
import { Ring } from '../ui/ring.tsx';
import { usePlaces } from './places.ts';
import { Link, navigate } from './router.tsx';
import { SandboxPanel } from './sandbox-panel.tsx';
import { WalletMenu } from './wallet-menu.tsx';

export function TopBar({ onHelp }: { readonly onHelp: () => void }) {
  const { service, sandbox } = useConfig();
  const places = usePlaces();
  return (
    <header className="topbar">
      <Link className="brand" href="/" aria-label={`${service}: all markets`}>
        <Ring share={0.64} size={22} stroke={4.5} />
        <span className="brand-name">{service}</span>
      </Link>
      <nav className="nav" aria-label="Main">
        {places.map(({ name, text, href, isCurrent }) => (
          <Link key={name} href={href} aria-current={isCurrent ? 'page' : undefined}>
            {text}
          </Link>
        ))}
      </nav>
      <Search />
      <div className="grow gap" />
      <div className="tools">
        <ConnectionPill />
        {sandbox && <SandboxButton />}
        <ThemeSwitch />
        <WalletMenu onHelp={onHelp} />
      </div>
    </header>
  );
}

/** Filters the landing page at once; Enter goes there from anywhere else. */
function Search() {
  const { search } = usePage();
  const text = useWatched(search);
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    navigate('/');
  };
  return (
    <search>
      <form className="search" onSubmit={onSubmit}>
        <Icon name="search" />
        <input
          type="search"
          placeholder="Search markets"
          aria-label="Search markets"
          autoComplete="off"
          data-testid="search"
          value={text}
          onChange={(event) => search.set(event.target.value)}
        />
        <span className="kbd" aria-hidden="true">
          /
        </span>
      </form>
    </search>
  );
}

function ConnectionPill() {
  const { state, latencyMs } = useWatched(usePage().connection.state);
  const text = { connecting: 'Connecting', live: 'Live', stale: 'Reconnecting' }[state];
  return (
    <span
      className="live"
      data-testid="conn"
      data-state={state}
      role="status"
      title={latencyMs === undefined ? undefined : `The service answers in ${latencyMs} ms`}
    >
      <span className="dot" aria-hidden="true" />
      {text}
    </span>
  );
}

function ThemeSwitch() {
  const { theme } = usePreferences();
  return (
    <button
      type="button"
      className="icon-btn wide-only"
      data-testid="theme"
      aria-label="Switch between dark and light"
      onClick={switchTheme}
    >
      <Icon name={theme === 'dark' ? 'moon' : 'sun'} size={18} />
    </button>
  );
}

function SandboxButton() {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        className="badge is-warn wide-only"
        data-testid="open-sandbox"
        onClick={() => setIsOpen(true)}
      >
        <Icon name="gift" />
        <span>
          Sandbox<span className="long">: demo money</span>
        </span>
      </button>
      <Dialog title="Sandbox" isOpen={isOpen} onClose={() => setIsOpen(false)} isDrawer>
        <SandboxPanel />
      </Dialog>
    </>
  );
}
