// The portfolio: cash, positions, open orders, history, and one button that redeems everything.

import type { Market } from '@presage/sdk';
import { Link } from '../app/router.tsx';
import { money } from '../lib/format.ts';
import { usePage } from '../state/page-context.ts';
import { useConfig } from '../state/service-config.ts';
import { useWatched } from '../state/store.ts';
import { type Portfolio, type PortfolioPosition, usePortfolio } from '../state/use-portfolio.ts';
import { History } from '../widgets/history.tsx';
import { Figure } from '../widgets/market-header.tsx';
import { OrdersTable } from '../widgets/orders-table.tsx';
import { HoldingCells, Profit } from '../widgets/positions-table.tsx';
import { RedeemAll } from '../widgets/redeem-all.tsx';
import { Empty, Failed, Skeleton } from '../widgets/states.tsx';
import { TableHead } from '../widgets/table-head.tsx';
import { WideTable } from '../widgets/wide-table.tsx';

export function PortfolioScreen({ markets }: { readonly markets: readonly Market[] }) {
  const { account } = usePage();
  const config = useConfig();
  const { wallet } = useWatched(account.state);
  const portfolio = usePortfolio(markets);
  return (
    <main
      id="main"
      tabIndex={-1}
      className="single"
      data-screen="portfolio"
      data-state={wallet ? portfolio.state : 'no-wallet'}
    >
      <h1 className="pad">Portfolio</h1>
      {wallet === null && (
        <Empty text="No wallet is open, so there is nothing to show yet.">
          <button
            type="button"
            className="btn"
            onClick={() => void account.open(config.sandbox ? 'demo' : 'injected', config)}
          >
            {config.sandbox ? 'Start with a demo wallet' : 'Connect a wallet'}
          </button>
        </Empty>
      )}
      {wallet && portfolio.state === 'error' && (
        <Failed what="The portfolio" failure={portfolio.failure} onRetry={portfolio.reload} />
      )}
      {wallet && portfolio.state === 'loading' && <Skeleton rows={12} rowHeight={36} />}
      {wallet && portfolio.value && <Everything portfolio={portfolio.value} />}
    </main>
  );
}

function Everything({ portfolio }: { readonly portfolio: Portfolio }) {
  return (
    <>
      <Summary portfolio={portfolio} />
      <RedeemAll portfolio={portfolio} />
      <section aria-labelledby="h-positions">
        <h2 id="h-positions" className="pad">
          Positions
        </h2>
        <Positions positions={portfolio.positions} />
      </section>
      <section aria-labelledby="h-orders">
        <h2 id="h-orders" className="pad">
          Open orders
        </h2>
        <WideTable label="Open orders table">
          <OrdersTable questions={portfolio.questions} />
        </WideTable>
      </section>
      <section aria-labelledby="h-history">
        <h2 id="h-history" className="pad">
          History
        </h2>
        <History activity={portfolio.activity} />
      </section>
    </>
  );
}

function Summary({ portfolio: { positions } }: { readonly portfolio: Portfolio }) {
  const { balances } = useWatched(usePage().account.state);
  const rows = positions.flatMap((position) => position.rows);
  const sum = (pick: (row: (typeof rows)[number]) => bigint | undefined) =>
    rows.reduce((total, row) => total + (pick(row) ?? 0n), 0n);
  return (
    <div className="pad stats" data-testid="summary">
      <Figure name="Cash available">
        <span data-testid="available">{balances ? money(BigInt(balances.available)) : '…'}</span>
      </Figure>
      <Figure name="Reserved by orders">{balances ? money(BigInt(balances.reserved)) : '…'}</Figure>
      <Figure name="Value of positions">{money(sum(({ value }) => value))}</Figure>
      <Figure name="Profit">
        <Profit amount={sum(({ profit }) => profit)} />
      </Figure>
    </div>
  );
}

function Positions({ positions }: { readonly positions: readonly PortfolioPosition[] }) {
  if (positions.length === 0) {
    return (
      <Empty text="No positions yet.">
        <Link href="/" className="btn">
          Find a market
        </Link>
      </Empty>
    );
  }
  return (
    <WideTable label="Positions table">
      <table className="rows" data-testid="portfolio-positions">
        <caption className="skip">Positions</caption>
        <TableHead names={['Market', 'Outcome', 'Shares', 'Avg', 'Now', 'Value', 'Profit']} />
        <tbody>
          {positions.flatMap((position) =>
            position.rows.map((row) => (
              <tr key={`${position.marketId} ${row.outcome}`}>
                <td className="question-cell">
                  <Link href={`/m/${position.marketId}`}>{position.question}</Link>
                  {position.isPending && <span className="badge">pending</span>}
                </td>
                <HoldingCells row={row} />
              </tr>
            )),
          )}
        </tbody>
      </table>
    </WideTable>
  );
}
