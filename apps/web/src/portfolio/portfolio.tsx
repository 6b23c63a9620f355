// The portfolio: equity and its curve first, where the money is, then what is open, closed, ordered and past.

import { usePage } from '../state/page-context.ts';
import { useConfig } from '../state/service-config.ts';
import { usePart, useWatched } from '../state/store.ts';
import { useTitle } from '../state/use-title.ts';
import { Empty, Failed, Skeleton } from '../ui/states.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { EquityPanel } from './equity-panel.tsx';
import { History } from './history.tsx';
import { PortfolioOrders } from './portfolio-orders.tsx';
import { ClosedPositions, OpenPositions } from './portfolio-positions.tsx';
import { RedeemAll } from './redeem-all.tsx';
import { type Portfolio, usePortfolio } from './use-portfolio.ts';
import { WhereItIs } from './where-it-is.tsx';

export function PortfolioScreen() {
  useTitle('Portfolio');
  const { account } = usePage();
  const { wallet } = useWatched(account.state);
  const portfolio = usePortfolio();
  return (
    <main
      id="main"
      tabIndex={-1}
      className="page portfolio"
      data-screen="portfolio"
      data-state={wallet ? portfolio.state : 'no-wallet'}
    >
      <h1 className="sr">Portfolio</h1>
      {wallet === null && <NoWallet />}
      {wallet && portfolio.state === 'error' && (
        <section className="panel" aria-label="Portfolio">
          <Failed what="The portfolio" failure={portfolio.failure} onRetry={portfolio.reload} />
        </section>
      )}
      {wallet !== null && portfolio.state === 'loading' && <Skeleton rows={20} rowHeight={36} />}
      {wallet && portfolio.value && <Everything portfolio={portfolio.value} />}
    </main>
  );
}

function NoWallet() {
  const { account } = usePage();
  const config = useConfig();
  return (
    <section className="panel" aria-label="Portfolio">
      <Empty text="Your money, positions and history appear here with your first trade." icon="wallet">
        <button
          type="button"
          className="btn btn-main"
          onClick={() => void account.open(config.sandbox ? 'demo' : 'injected', config)}
        >
          {config.sandbox ? 'Start with a demo wallet' : 'Connect a wallet'}
        </button>
      </Empty>
    </section>
  );
}

function Everything({ portfolio }: { readonly portfolio: Portfolio }) {
  const orders = usePart(usePage().account.state, (state) => state.orders?.length ?? 0);
  const { open, closed } = portfolio;
  const tabs = [
    { key: 'open', title: 'Open', count: open.length, content: () => <OpenPositions rows={open} /> },
    { key: 'closed', title: 'Closed', count: closed.length, content: () => <ClosedPositions rows={closed} /> },
    {
      key: 'orders',
      title: 'Orders',
      count: orders,
      content: () => <PortfolioOrders questions={portfolio.questions} />,
    },
    { key: 'history', title: 'History', content: () => <History activity={portfolio.activity} /> },
  ];
  return (
    <>
      <div className="pgrid">
        <EquityPanel equity={portfolio.equity} />
        <div className="eq-side">
          <RedeemAll portfolio={portfolio} />
          <WhereItIs portfolio={portfolio} />
        </div>
      </div>
      <section className="panel list" aria-label="Positions, orders and history">
        <Tabs label="Portfolio" tabs={tabs} />
      </section>
    </>
  );
}
