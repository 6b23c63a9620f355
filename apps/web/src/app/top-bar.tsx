// The top bar: navigation, whether the data is live, the sandbox, and the wallet.
import { useState } from 'react';
import { usePage } from '../state/page-context.ts';
import { setPalette, usePreferences } from '../state/preferences.ts';
import { useConfig } from '../state/service-config.ts';
import { useWatched } from '../state/store.ts';
import { Dialog } from '../widgets/dialog.tsx';
import { SandboxPanel } from '../widgets/sandbox-panel.tsx';
import { WalletMenu } from '../widgets/wallet-menu.tsx';
import { Link, toScreen, usePath } from './router.tsx';

interface TopBarProps {
  readonly onMarkets: () => void;
  readonly onHelp: () => void;
}

export function TopBar({ onMarkets, onHelp }: TopBarProps) {
  const { service, sandbox, quickMarkets } = useConfig();
  const screen = toScreen(usePath()).name;
  const { palette } = usePreferences();
  const quick = `/quick/${quickMarkets.assets[0] ?? 'BTC'}`;
  const places = [
    { name: 'trade', text: 'Trade', href: '/' },
    { name: 'quick', text: 'Quick', href: quick },
    { name: 'portfolio', text: 'Portfolio', href: '/portfolio' },
    { name: 'operator', text: 'Operator', href: '/operator' },
  ] as const;
  return (
    <header className="top">
      <strong className="brand">{service}</strong>
      <button type="button" className="btn only-narrow" data-testid="open-markets" onClick={onMarkets}>
        Markets
      </button>
      <nav aria-label="Main">
        {places.map(({ name, text, href }) => (
          <Link key={name} href={href} aria-current={screen === name ? 'page' : undefined}>
            {text}
          </Link>
        ))}
      </nav>
      <span className="sp" />
      <ConnectionPill />
      {sandbox && <SandboxButton />}
      <button
        type="button"
        className="btn icon hide-s"
        aria-pressed={palette === 'colour-blind'}
        title="Colours for the colour-blind"
        aria-label="Colours for the colour-blind"
        data-testid="palette"
        onClick={() => setPalette(palette === 'usual' ? 'colour-blind' : 'usual')}
      >
        ◐
      </button>
      <button type="button" className="btn icon hide-s" aria-label="Keys" title="Keys" onClick={onHelp}>
        ?
      </button>
      <WalletMenu />
    </header>
  );
}

function ConnectionPill() {
  const { state, latencyMs } = useWatched(usePage().connection.state);
  const text = { connecting: 'Connecting', live: 'Live', stale: 'Reconnecting' }[state];
  return (
    <span className="pill" data-testid="conn" data-state={state} role="status">
      <span className="dot" aria-hidden="true" />
      {text}
      {state === 'live' && latencyMs !== undefined && (
        <span className="hide-s" aria-hidden="true">
          {' '}
          · {latencyMs} ms
        </span>
      )}
    </span>
  );
}

function SandboxButton() {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <button type="button" className="btn sandbox" data-testid="open-sandbox" onClick={() => setIsOpen(true)}>
        Sandbox
      </button>
      <Dialog title="Sandbox" isOpen={isOpen} onClose={() => setIsOpen(false)}>
        <SandboxPanel />
      </Dialog>
    </>
  );
}
