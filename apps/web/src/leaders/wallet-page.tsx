// The public page of a wallet: its trades, profit and positions, which are public data.
import { money } from '../lib/format.ts';
import { PLAIN_NAMES, QUICK_NAMES } from '../lib/outcomes.ts';
import { toClosedRows, toOpenRows } from '../lib/portfolio.ts';
import { roundToCents } from '../lib/valuation.ts';
import { History } from '../portfolio/history.tsx';
import { ClosedPositions, OpenPositions } from '../portfolio/portfolio-positions.tsx';
import { readActivity } from '../portfolio/read-activity.ts';
import { type Page, usePage } from '../state/page-context.ts';
import { useRemote } from '../state/remote.ts';
import { useConfig } from '../state/service-config.ts';
import { useTitle } from '../state/use-title.ts';
import { Fact } from '../ui/panel.tsx';
import { Gain } from '../ui/profit.tsx';
import { Failed, Skeleton } from '../ui/states.tsx';
import { Tabs } from '../ui/tabs.tsx';

const BEAT_MS = 10_000;

export function WalletScreen({ address }: { readonly address: string }) {
  useTitle(`Wallet ${address}`, `Volume, profit, positions and trades of ${address}.`);
  const { reader } = usePage();
  const chainIds = useConfig().chains.map(({ chainId }) => chainId);
  const read = (signal: AbortSignal) => readWallet(reader, address, chainIds, signal);
  const wallet = useRemote(`wallet ${address}`, read, { everyMs: BEAT_MS });
  return (
    <main id="main" tabIndex={-1} className="page portfolio" data-screen="wallet" data-state={wallet.state}>
      {wallet.state === 'error' && (
        <section className="panel" aria-label="Wallet">
          <Failed what="The wallet" of={wallet} />
        </section>
      )}
      {wallet.state === 'loading' && <Skeleton rows={20} rowHeight={36} />}
      {wallet.value && <PublicWallet address={address} wallet={wallet.value} />}
    </main>
  );
}

type PublicData = Awaited<ReturnType<typeof readWallet>>;

async function readWallet(reader: Page['reader'], address: string, chainIds: readonly number[], signal: AbortSignal) {
  const [statistics, activity, ...held] = await Promise.all([
    reader.getUserStatistics(address, { signal }),
    readActivity(reader, address, chainIds, { signal }),
    ...chainIds.map((chain_id) => reader.listPositions(address, { chain_id, shares: 'any' }, { signal })),
  ]);
  const positions = held.flatMap((list) => list.positions);
  const quick = new Set(positions.filter(({ kind }) => kind === 'quick').map(({ marketId }) => marketId));
  return {
    statistics,
    activity,
    open: toOpenRows(positions, activity.unsettled),
    closed: toClosedRows(positions),
    namesOf: (marketId: string) => (quick.has(marketId) ? QUICK_NAMES : PLAIN_NAMES),
  };
}

function PublicWallet({ address, wallet }: { readonly address: string; readonly wallet: PublicData }) {
  const { statistics, open, closed, activity, namesOf } = wallet;
  const inPositions = open.reduce((sum, { value }) => sum + value, 0n);
  const realized = roundToCents(BigInt(statistics.realized_pnl));
  const unrealized = open.reduce((sum, { profit }) => sum + profit, 0n);
  const tabs = [
    { key: 'open', title: 'Open', count: open.length, content: () => <OpenPositions rows={open} isPublic /> },
    { key: 'closed', title: 'Closed', count: closed.length, content: () => <ClosedPositions rows={closed} /> },
    {
      key: 'history',
      title: 'Trades',
      content: () => <History address={address} activity={activity} namesOf={namesOf} />,
    },
  ];
  return (
    <>
      <section className="panel eq public-wallet" aria-labelledby="h-wallet">
        <h1 className="label" id="h-wallet">
          Wallet <span className="mono wrap-any">{address}</span>
        </h1>
        <p className="hero-figure" data-testid="public-profit">
          <Gain amount={realized + unrealized} />
        </p>
        <p className="t2">profit since the first trade</p>
        <dl className="eq-parts">
          <Fact name="Realised" testId="realized">
            <Gain amount={realized} />
          </Fact>
          <Fact name="Unrealised" testId="unrealized">
            <Gain amount={unrealized} />
          </Fact>
          <Fact name="Volume" testId="public-volume">
            {money(statistics.volume)}
          </Fact>
          <Fact name="Trades" testId="public-trades">
            {statistics.trade_count}
          </Fact>
          <Fact name="In positions" testId="in-positions">
            {money(inPositions)}
          </Fact>
        </dl>
      </section>
      <section className="panel list" aria-label="Positions and trades">
        <Tabs label="Wallet" tabs={tabs} />
      </section>
    </>
  );
}
