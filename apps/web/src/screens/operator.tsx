// The operator's screen: is the exchange healthy, and if not, which part is failing.

import type { FailedTrades, ServiceStatus } from '@presage/sdk';
import { type ReactNode, useId } from 'react';
import { cents, shares, shortHash } from '../lib/format.ts';
import { clockTime } from '../lib/times.ts';
import { usePage } from '../state/page-context.ts';
import { useRemote } from '../state/remote.ts';
import { Figure } from '../widgets/market-header.tsx';
import { Empty, Failed, Mark, Skeleton } from '../widgets/states.tsx';
import { TableHead } from '../widgets/table-head.tsx';
import { WideTable } from '../widgets/wide-table.tsx';

const BEAT_MS = 2_000;
const WEI = 1e18;
const ether = new Intl.NumberFormat('en-US', { maximumFractionDigits: 3 });

export function OperatorScreen() {
  const { reader } = usePage();
  const status = useRemote('status', (signal) => reader.getStatus({ signal }), { everyMs: BEAT_MS });
  const failed = useRemote('failed trades', (signal) => reader.listFailedTrades({ signal }), { everyMs: BEAT_MS });
  return (
    <main id="main" tabIndex={-1} className="single" data-screen="operator" data-state={status.state}>
      <h1 className="pad">Operator</h1>
      {status.state === 'loading' && <Skeleton rows={14} rowHeight={30} />}
      {status.state === 'error' && <Failed what="The status" failure={status.failure} onRetry={status.reload} />}
      {status.value && <Health status={status.value} />}
      <section aria-labelledby="h-failed">
        <h2 id="h-failed" className="pad">
          Failed trades, last 24 hours
        </h2>
        {failed.value === undefined ? <Skeleton rows={2} /> : <FailedTable trades={failed.value.failedTrades} />}
      </section>
    </main>
  );
}

function Health({ status }: { readonly status: ServiceStatus }) {
  const { settlementQueue, relayer, rates, latency, signatureQueue } = status;
  const ms = (value: number) => `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;
  return (
    <>
      <Panel title="Dependencies" testId="dependencies">
        {Object.entries(status.dependencies).map(([name, { up, ...facts }]) => (
          <Figure key={name} name={name}>
            <Mark tone={up ? 'yes' : 'no'}>{up ? 'up' : 'down'}</Mark>
            <small className="muted"> {factsText(facts)}</small>
          </Figure>
        ))}
      </Panel>
      <Panel title="Load and speed" testId="figures">
        <Figure name="Orders a second">{rates.ordersPerSecond.toFixed(1)}</Figure>
        <Figure name="Accept p50 / p99">
          {ms(latency.acceptMs.p50)} / {ms(latency.acceptMs.p99)}
        </Figure>
        <Figure name="Settle p50 / p99">
          {ms(latency.settleMs.p50)} / {ms(latency.settleMs.p99)}
        </Figure>
        <Figure name="Event-loop lag">{ms(latency.eventLoopLagMs)}</Figure>
        <Figure name="Trades waiting to settle">{settlementQueue.waiting}</Figure>
        <Figure name="Batches in flight">{settlementQueue.batchesInFlight}</Figure>
        <Figure name="Signatures waiting">{signatureQueue}</Figure>
      </Panel>
      <Panel title="Relayer" testId="relayer">
        <Figure name="Relayer">
          <span title={relayer.address}>{shortHash(relayer.address)}</span>
        </Figure>
        <Figure name="Balance">
          {relayer.balance === null ? 'unknown' : `${ether.format(Number(relayer.balance) / WEI)} ETH`}
        </Figure>
        <Figure name="Nonce">{relayer.nonce ?? 'unknown'}</Figure>
      </Panel>
      <Feeds feeds={status.feeds as unknown as readonly FeedRow[]} />
    </>
  );
}

function Panel({
  title,
  testId,
  children,
}: {
  readonly title: string;
  readonly testId: string;
  readonly children: ReactNode;
}) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="pad" data-testid={testId}>
      <h2 id={id}>{title}</h2>
      <div className="stats">{children}</div>
    </section>
  );
}

function factsText(facts: Readonly<Record<string, unknown>>): string {
  return Object.entries(facts)
    .map(([name, value]) => `${name} ${String(value)}`)
    .join(', ');
}

interface FeedRow {
  readonly asset: string;
  readonly fresh: boolean;
  readonly ageMs: number | null;
  readonly source: string | null;
}

function Feeds({ feeds }: { readonly feeds: readonly FeedRow[] }) {
  return (
    <Panel title="Price feeds" testId="feeds">
      {feeds.map(({ asset, fresh, ageMs, source }) => (
        <Figure key={asset} name={`${asset} feed`}>
          <Mark tone={fresh ? 'yes' : 'no'}>{ageMs === null ? 'nothing yet' : `${(ageMs / 1_000).toFixed(1)} s`}</Mark>
          <small className="muted"> {source}</small>
        </Figure>
      ))}
    </Panel>
  );
}

function FailedTable({ trades }: { readonly trades: FailedTrades['failedTrades'] }) {
  if (trades.length === 0) return <Empty text="None: every trade has settled or is on its way." />;
  return (
    <WideTable label="Failed trades table">
      <table className="rows" data-testid="failed-trades">
        <caption className="skip">Failed trades</caption>
        <TableHead names={['Trade', 'Size', 'Price', 'Failed at', 'Fault of', 'Reason']} />
        <tbody>
          {trades.map((trade) => (
            <tr key={trade.tradeId}>
              <td>{trade.tradeId}</td>
              <td>{shares(trade.fillSize)}</td>
              <td>{cents(trade.fillPrice)}</td>
              <td>{clockTime(trade.failedAt)}</td>
              <td>{trade.faultParty}</td>
              <td>{trade.reason}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </WideTable>
  );
}
