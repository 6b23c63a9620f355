// The page: loads the configuration, then shows the top bar, the routed screen, and the dialogs.
import type { Market, ServiceConfig } from '@presage/sdk';
import { useCallback, useEffect, useState } from 'react';
import { OperatorScreen } from '../screens/operator.tsx';
import { PortfolioScreen } from '../screens/portfolio.tsx';
import { QuickScreen } from '../screens/quick.tsx';
import { TradeScreen } from '../screens/trade.tsx';
import { usePage } from '../state/page-context.ts';
import { type Remote, useRemote } from '../state/remote.ts';
import { ConfigContext } from '../state/service-config.ts';
import { Dialog } from '../widgets/dialog.tsx';
import { MarketListPanel } from '../widgets/market-list.tsx';
import { Failed, Skeleton } from '../widgets/states.tsx';
import { HelpDialog } from './help-dialog.tsx';
import { useKeys } from './keys.ts';
import { type Screen, toScreen, usePath } from './router.tsx';
import { TopBar } from './top-bar.tsx';

const LIST_BEAT_MS = 5_000;

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
    <main className="pad" data-state={config.state}>
      <h1>Presage</h1>
      {config.state === 'error' ? (
        <Failed what="The service" failure={config.failure} onRetry={config.reload} />
      ) : (
        <Skeleton rows={20} />
      )}
    </main>
  );
}

function Shell({ config }: { readonly config: ServiceConfig }) {
  const { account, reader } = usePage();
  const path = usePath();
  const [isHelpOpen, setIsHelpOpen] = useState(false);
  const [isListOpen, setIsListOpen] = useState(false);
  useEffect(() => void account.resume(config), [account, config]);
  useKeys(useCallback(() => setIsHelpOpen(true), []));
  const markets = useRemote('markets', async (signal) => (await reader.listMarkets({}, { signal })).markets, {
    everyMs: LIST_BEAT_MS,
  });
  return (
    <>
      <a className="skip" href="#main">
        Skip to content
      </a>
      <TopBar onMarkets={() => setIsListOpen(true)} onHelp={() => setIsHelpOpen(true)} />
      <CurrentScreen screen={toScreen(path)} markets={markets} />
      <Dialog title="All markets" isOpen={isListOpen} onClose={() => setIsListOpen(false)}>
        <MarketListPanel markets={markets} current={path} onPick={() => setIsListOpen(false)} />
      </Dialog>
      <HelpDialog isOpen={isHelpOpen} onClose={() => setIsHelpOpen(false)} />
    </>
  );
}

function CurrentScreen({ screen, markets }: { readonly screen: Screen; readonly markets: Remote<readonly Market[]> }) {
  if (screen.name === 'portfolio') return <PortfolioScreen markets={markets.value ?? []} />;
  if (screen.name === 'operator') return <OperatorScreen />;
  if (screen.name === 'quick') return <QuickScreen key={screen.asset} asset={screen.asset} markets={markets} />;
  return <TradeScreen marketId={screen.marketId} markets={markets} />;
}
