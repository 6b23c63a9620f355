// The page: loads the configuration, then shows the top bar, the routed screen, the tabs of a phone, and the messages.
import type { Market, ServiceConfig } from '@presage/sdk';
import { lazy, Suspense, useCallback, useEffect, useState } from 'react';
import { LandingScreen } from '../landing/landing.tsx';
import { type Listed, toListed } from '../lib/listed.ts';
import { MarketScreen } from '../market/market.tsx';
import { PortfolioScreen } from '../portfolio/portfolio.tsx';
import { QuickScreen } from '../quick/quick.tsx';
import { usePage } from '../state/page-context.ts';
import { usePreferences } from '../state/preferences.ts';
import { type Remote, useRemote } from '../state/remote.ts';
import { ConfigContext } from '../state/service-config.ts';
import { ScreenBoundary } from '../ui/screen-boundary.tsx';
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
/** Screens whose script is loaded when the first of them is opened. */
const screens = () => import('./lazy-screens.ts');
const EventScreen = lazy(async () => ({ default: (await screens()).EventScreen }));
const LeaderboardScreen = lazy(async () => ({ default: (await screens()).LeaderboardScreen }));
const WalletScreen = lazy(async () => ({ default: (await screens()).WalletScreen }));
const ProofScreen = lazy(async () => ({ default: (await screens()).ProofScreen }));
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
      {/* The same header as in index.html. */}
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

/** The service's markets, and the markets and events that lists show. */
interface Lists {
  readonly markets: Remote<readonly Market[]>;
  readonly listed: readonly Listed[];
}

/** Reads markets and events together, because cards that arrive later would move the others. */
function useLists(): Lists {
  const { reader } = usePage();
  const read = async (signal: AbortSignal) => {
    const [{ markets }, { events }] = await Promise.all([
      reader.listMarkets({ include: 'sparkline' }, { signal }),
      reader.listEvents({ limit: 100 }, { signal }),
    ]);
    return { markets, listed: toListed(markets, events) };
  };
  const lists = useRemote('markets', read, LIST_BEAT);
  return { markets: { ...lists, value: lists.value?.markets }, listed: lists.value?.listed ?? NOTHING };
}

const NOTHING: readonly Listed[] = [];

function Shell({ config }: { readonly config: ServiceConfig }) {
  const { account } = usePage();
  const path = usePath();
  const { zone } = usePreferences();
  const [isHelpOpen, setIsHelpOpen] = useState(false);
  const openHelp = useCallback(() => setIsHelpOpen(true), []);
  useEffect(() => void account.resume(config), [account, config]);
  useKeys(openHelp);
  useWalletNotices();
  useVerdicts();
  useAutoClaim();
  const lists = useLists();
  const { name } = toScreen(path);
  return (
    <>
      <a className="skip" href="#main">
        Skip to content
      </a>
      <TopBar onHelp={openHelp} listed={lists.listed} />
      <ScreenBoundary key={path}>
        <Suspense fallback={<LoadingScreen />}>
          {/* The key redraws the screen when the time zone changes. */}
          <CurrentScreen key={zone} path={path} {...lists} />
        </Suspense>
      </ScreenBoundary>
      {/* Screens of one market show their own bar with prices here. */}
      {name !== 'market' && name !== 'event' && name !== 'quick' && <TabBar onHelp={openHelp} />}
      <ToastList />
      <HelpDialog isOpen={isHelpOpen} onClose={() => setIsHelpOpen(false)} />
    </>
  );
}

function CurrentScreen({ path, markets, listed }: Lists & { readonly path: string }) {
  const screen = toScreen(path);
  if (screen.name === 'portfolio') return <PortfolioScreen />;
  if (screen.name === 'proof') return <ProofScreen markets={markets} />;
  if (screen.name === 'operator') return <OperatorScreen markets={markets} />;
  if (screen.name === 'leaderboard') return <LeaderboardScreen />;
  if (screen.name === 'wallet') return <WalletScreen key={screen.address} address={screen.address} />;
  if (screen.name === 'quick') return <QuickScreen key={screen.asset} asset={screen.asset} />;
  if (screen.name === 'market')
    return <MarketScreen key={screen.marketId} marketId={screen.marketId} listed={listed} />;
  if (screen.name === 'event') return <EventScreen key={screen.eventId} eventId={screen.eventId} listed={listed} />;
  return <LandingScreen markets={markets} listed={listed} />;
}

function LoadingScreen() {
  return (
    <main id="main" tabIndex={-1} className="page">
      <Skeleton rows={20} rowHeight={30} />
    </main>
  );
}
