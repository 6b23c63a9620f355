// The portfolio: equity and its curve, where the money is, then open positions, closed ones, orders and history.

import { useState } from 'react';
import { money, moneyDown, shortHash } from '../lib/format.ts';
import { usePage } from '../state/page-context.ts';
import { usePart, useWatched } from '../state/store.ts';
import { useTitle } from '../state/use-title.ts';
import { ChainAway } from '../ui/chain-away.tsx';
import { Icon } from '../ui/icon.tsx';
import { OpenWalletButton, RedeemButton } from '../ui/redeem-button.tsx';
import { Empty, Failed, Skeleton } from '../ui/states.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { EquityPanel } from './equity-panel.tsx';
import { History } from './history.tsx';
import { PortfolioOrders } from './portfolio-orders.tsx';
import { ClosedPositions, OpenPositions } from './portfolio-positions.tsx';
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
          <Failed what="The portfolio" of={portfolio} />
        </section>
      )}
      {wallet !== null && portfolio.state === 'loading' && <Skeleton rows={20} rowHeight={36} />}
      {wallet && portfolio.value && <Everything address={wallet.address} portfolio={portfolio.value} />}
    </main>
  );
}

function NoWallet() {
  return (
    <section className="panel" aria-label="Portfolio">
      <Empty text="Your money, positions and history appear here with your first trade." icon="wallet">
        <OpenWalletButton look="main" demoText="Start with a demo wallet" />
      </Empty>
    </section>
  );
}

function Everything({ address, portfolio }: { readonly address: string; readonly portfolio: Portfolio }) {
  const orders = usePart(usePage().account.state, (state) => state.orders?.length ?? 0);
  const { open, closed, activity, questions, namesOf } = portfolio;
  const tabs = [
    { key: 'open', title: 'Open', count: open.length, content: () => <OpenPositions rows={open} /> },
    { key: 'closed', title: 'Closed', count: closed.length, content: () => <ClosedPositions rows={closed} /> },
    {
      key: 'orders',
      title: 'Orders',
      count: orders,
      content: () => <PortfolioOrders questions={questions} namesOf={namesOf} />,
    },
    {
      key: 'history',
      title: 'History',
      content: () => <History address={address} activity={activity} namesOf={namesOf} />,
    },
  ];
  return (
    <>
      <ChainAway what="Cash and payouts" since={portfolio.since} />
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

function RedeemAll({ portfolio }: { readonly portfolio: Portfolio }) {
  const [note, setNote] = useState('');
  const { claimable, claimableMarkets, pendingClaims, failedClaims } = portfolio;
  const isNothing = claimable === 0n;
  if (isNothing && note === '' && pendingClaims.length === 0 && failedClaims.length === 0) return null;
  const onPaid = (payout: bigint) => setNote(`${money(payout)} paid out, without gas.`);
  return (
    <section className="panel redeem" aria-label="Winnings" data-testid="claims">
      {!isNothing && (
        <>
          <div className="row redeem-head">
            <span className="tile redeem-tile" aria-hidden="true">
              <Icon name="trophy" size={20} />
            </span>
            <div className="grow">
              <h2>You can redeem {moneyDown(claimable)}</h2>
              <p className="sm t2">
                From {claimableMarkets} decided {claimableMarkets === 1 ? 'market' : 'markets'}. There is no deadline.
              </p>
            </div>
          </div>
          <RedeemButton testId="redeem-all" value={claimable} onPaid={onPaid}>
            Redeem all {moneyDown(claimable)} (no gas)
          </RedeemButton>
        </>
      )}
      <p className="sm t2" role="status" data-testid="redeem-note">
        {note}
      </p>
      {pendingClaims.map(({ txHash, payout }) => (
        <p key={txHash} className="sm" data-testid="pending-claim">
          <span className="badge">pending</span> {money(payout)} on its way ({shortHash(txHash)})
        </p>
      ))}
      {failedClaims.map(({ txHash, payout, reason }) => (
        <p key={txHash} className="sm bad" data-testid="failed-claim">
          Failed: {money(payout)}, {reason}. It can be redeemed again.
        </p>
      ))}
    </section>
  );
}
