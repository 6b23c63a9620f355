// The page: loads the configuration, then shows the top bar, the routed screen, the tabs of a phone, and the messages.
import type { Market, ServiceConfig } from '@presage/sdk';
import { lazy, Suspense, useCallback, useEffect, useState } from 'react';
import { LandingScreen } from '../landing/landing.tsx';
import { MarketScreen } from '../market/market.tsx';
import { PortfolioScreen } from '../portfolio/portfolio.tsx';
import { QuickScreen } from '../quick/quick.tsx';
import { usePage } from '../state/page-context.ts';
import { usePreferences } from '../state/preferences.ts';
import { type Remote, useRemote } from '../state/remote.ts';
import { ConfigContext } from '../state/service-config.ts';
import { Failed, Skeleton } from '../ui/states.tsx';
import { ToastList } from '../ui/toasts.tsx';
import { useAutoClaim } from '../wallet/auto-claim.ts';
import { useVerdicts } from '../wallet/use-verdicts.ts';
import { useWalletNotices } from '../wallet/use-wallet-notices.ts';
import { HelpDialog, useKeys } from './keys.tsx';
import { toScreen, usePath } from './router.tsx';
import { TabBar } from './tab-bar.tsx';
import { TopBar } from './top-bar.tsx';

const LIST_BEAT = { everyMs: 5_000 };
/** Few people open these: their script is loaded when they do. */
const rare = () => import('./rare-screens.ts');
const LeaderboardScreen = lazy(async () => ({ default: (await rare()).LeaderboardScreen }));
const WalletScreen = lazy(async () => ({ default: (await rare()).WalletScreen }));
const ProofScreen = lazy(async () => ({ default: (await rare()).ProofScreen }));
const OperatorScreen = lazy(async () => ({ default: (await import('../operator/operator.tsx')).OperatorScreen }));

export function App() {
  const page = usePage();
  useEffect(() => {
    const stops = [page.clock.start(), page.connection.start(page.reader)];
    return () => stops.forEach((stop) => void stop());
  }, [page]);
  const config = useRemote('config', (signal) => page.reader.getConfig({ signal }));
  if (config.value !== undefined) {
    return (
      <ConfigContext value={config.value}>
        <Shell config={config.value} />
      </ConfigContext>
    );
  }
  return (
    <>
      {/* As index.html has it. */}
      <header className="topbar">
        <span className="brand">
          <span className="brand-name">Presage</span>
        </span>
      </header>
      <main className="page" data-state={config.state}>
        <h1 className="sr">Presage</h1>
        {config.state === 'error' ? <Failed what="The service" of={config} /> : <Skeleton rows={20} />}
      </main>
    </>
  );
}

const NO_MARKETS: readonly Market[] = [];

function Shell({ config }: { readonly config: ServiceConfig }) {
  const { account, reader } = usePage();
  const path = usePath();
  const { zone } = usePreferences();
  const [isHelpOpen, setIsHelpOpen] = useState(false);
  const openHelp = useCallback(() => setIsHelpOpen(true), []);
  useEffect(() => void account.resume(config), [account, config]);
  useKeys(openHelp);
  useWalletNotices();
  useVerdicts();
  useAutoClaim();
  const list = async (signal: AbortSignal) => (await reader.listMarkets({ include: 'sparkline' }, { signal })).markets;
  const markets = useRemote('markets', list, LIST_BEAT);
  const { name } = toScreen(path);
  return (
    <>
      <a className="skip" href="#main">
        Skip to content
      </a>
      <TopBar onHelp={openHelp} markets={markets.value ?? NO_MARKETS} />
      {/* Drawn anew in the other time. */}
      <Suspense fallback={<LoadingScreen />}>
        <CurrentScreen key={zone} path={path} markets={markets} />
      </Suspense>
      {/* On a market the bar with its prices takes this place. */}
      {name !== 'market' && name !== 'quick' && <TabBar onHelp={openHelp} />}
      <ToastList />
      <HelpDialog isOpen={isHelpOpen} onClose={() => setIsHelpOpen(false)} />
    </>
  );
}

function CurrentScreen({ path, markets }: { readonly path: string; readonly markets: Remote<readonly Market[]> }) {
  const screen = toScreen(path);
  if (screen.name === 'portfolio') return <PortfolioScreen />;
  if (screen.name === 'proof') return <ProofScreen markets={markets} />;
  if (screen.name === 'operator') return <OperatorScreen markets={markets} />;
  if (screen.name === 'leaderboard') return <LeaderboardScreen />;
  if (screen.name === 'wallet') return <WalletScreen key={screen.address} address={screen.address} />;
  if (screen.name === 'quick') return <QuickScreen key={screen.asset} asset={screen.asset} />;
  if (screen.name === 'market')
    return <MarketScreen key={screen.marketId} marketId={screen.marketId} markets={markets} />;
  return <LandingScreen markets={markets} />;
}

function LoadingScreen() {
  return (
    <main id="main" tabIndex={-1} className="page">
      <Skeleton rows={20} rowHeight={30} />
    </main>
  );
}
