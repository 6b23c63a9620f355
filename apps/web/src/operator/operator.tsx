// The operator's screen: the worst problem first, then health, the settlement queue, the relayer, speed, the resolution desk and failures.
import type { FailedTrades, Market, PendingTrades, ServiceStatus } from '@presage/sdk';
import { Link } from '../app/router.tsx';
import { cents, shares, shortHash } from '../lib/format.ts';
import { deskOf, queueOf, runwayText, type Tile, tilesOf, verdictOf } from '../lib/operator.ts';
import { outcomeOf } from '../lib/outcomes.ts';
import { clockTime } from '../lib/times.ts';
import { SolvencyPanel, useSolvency } from '../proof/solvency.tsx';
import { copyText } from '../state/copy-text.ts';
import { usePage } from '../state/page-context.ts';
import { type Remote, useRemote } from '../state/remote.ts';
import { useConfig } from '../state/service-config.ts';
import { useWatched } from '../state/store.ts';
import { useTitle } from '../state/use-title.ts';
import { Button } from '../ui/controls.tsx';
import { Icon, type IconName } from '../ui/icon.tsx';
import { Fact, Panel } from '../ui/panel.tsx';
import { Empty, Failed, Skeleton } from '../ui/states.tsx';
import { NewMarketForm } from './new-market-form.tsx';
import { OperatorAccessPanel, useSandboxKey } from './operator-access.tsx';
import { OperatorApprovals } from './operator-approvals.tsx';
import { OperatorExports } from './operator-exports.tsx';
import { OperatorCategories, OperatorLog } from './operator-log.tsx';
import { OperatorRevenue } from './operator-revenue.tsx';
import { OperatorStops } from './operator-stops.tsx';
import { ResolutionDesk } from './resolution-desk.tsx';

const BEAT_MS = 2_000;
const WEI = 1e18;
const ether = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 6 });

export function OperatorScreen({ markets }: { readonly markets: Remote<readonly Market[]> }) {
  useTitle('Operator');
  const { reader } = usePage();
  const every = { everyMs: BEAT_MS };
  const status = useRemote('status', (signal) => reader.getStatus({ signal }), every);
  const failed = useRemote('failed trades', (signal) => reader.listFailedTrades({ signal }), every);
  const pending = useRemote('pending trades', (signal) => reader.listPendingTrades({ signal }), every);
  const solvency = useSolvency();
  const desk = deskOf(markets.value ?? []);
  const hasKey = useSandboxKey();
  const isLoading = status.state === 'loading' || solvency.state === 'loading' || hasKey === undefined;
  return (
    <main id="main" tabIndex={-1} className="page operator" data-screen="operator" data-state={status.state}>
      <h1 className="sr">Operator</h1>
      {isLoading && <Skeleton rows={20} rowHeight={30} />}
      {status.state === 'error' && (
        <section className="panel" aria-label="Status">
          <Failed what="The status" of={status} />
        </section>
      )}
      {status.value && !isLoading && (
        <>
          <Headline status={status.value} waiting={desk.length} />
          <Health tiles={tilesOf(status.value)} />
          <div className="o-grid">
            <Queue status={status.value} pending={pending.value} failed={failed.value?.count ?? 0} />
            <Relayer relayer={status.value.relayer} />
            <Speed status={status.value} />
            <SolvencyPanel solvency={solvency} className="o-pad solvency-row" />
          </div>
        </>
      )}
      {/* Waits until the panels above have their final height. */}
      {!isLoading && (
        <div className="o-grid">
          <OperatorAccessPanel />
          <OperatorStops markets={markets.value ?? []} onDone={markets.reload} />
          <OperatorApprovals />
          <OperatorCategories />
          <ResolutionDesk markets={desk} isLoading={markets.value === undefined} onDone={markets.reload} />
          <FailedList failed={failed} />
          <NewMarketForm />
          <OperatorRevenue />
          <OperatorExports />
          <OperatorLog />
        </div>
      )}
    </main>
  );
}

function Headline({ status, waiting }: { readonly status: ServiceStatus; readonly waiting: number }) {
  const { version } = useConfig();
  const text =
    waiting === 0
      ? 'No market waits for a result.'
      : `${waiting} ${waiting === 1 ? 'market waits' : 'markets wait'} for a result.`;
  return (
    <div className="o-head">
      <div>
        <p className="page-title" role="status" data-testid="headline">
          {verdictOf(tilesOf(status))}
        </p>
        <p className="t2">{text}</p>
      </div>
      <p className="sm t2">presage {version}</p>
    </div>
  );
}

const TILE_ICONS: Readonly<Record<string, IconName>> = {
  Journal: 'book',
  Engine: 'cpu',
  Database: 'db',
  Chain: 'link',
};
const STATE_LOOKS = {
  up: { badge: 'badge is-good', icon: 'check', word: 'Up' },
  slow: { badge: 'badge is-warn', icon: 'alert', word: 'Slow' },
  down: { badge: 'badge is-bad', icon: 'cross', word: 'Down' },
} as const;

function Health({ tiles }: { readonly tiles: readonly Tile[] }) {
  return (
    <ul className="healths" data-testid="dependencies" aria-label="Health">
      {tiles.map(({ name, state, text }) => {
        const look = STATE_LOOKS[state];
        return (
          <li key={name} className={state === 'up' ? 'panel health' : 'panel health is-warn'} data-state={state}>
            <span className="row between">
              <span className="row medium">
                <Icon name={TILE_ICONS[name] ?? 'feed'} />
                {name}
              </span>
              <span className={look.badge}>
                <Icon name={look.icon} size={12} />
                {look.word}
              </span>
            </span>
            <span className={state === 'up' ? 'sm t2' : 'sm warn'}>{text}</span>
          </li>
        );
      })}
    </ul>
  );
}

interface QueueProps {
  readonly status: ServiceStatus;
  readonly pending: PendingTrades | undefined;
  readonly failed: number;
}

/** Attributes of a panel that takes a third of the row. */
const THIRD = { className: 'o-pad o-third', head: 'row between' };

function Queue({ status, pending, failed }: QueueProps) {
  const now = useWatched(usePage().clock.seconds);
  const trades = pending?.pendingTrades ?? [];
  const oldest = Math.min(...trades.map(({ timestamp }) => timestamp));
  const note = trades.length === 0 ? undefined : `oldest ${Math.max(0, now - oldest)} s`;
  return (
    <Panel id="queue" title="Settlement queue" note={note} testId="queue" {...THIRD}>
      <p className="o-figure">
        <span className="fig">{trades.length}</span>
        <span className="t2">{trades.length === 1 ? 'trade' : 'trades'} on the way</span>
      </p>
      <ul className="pipe" aria-label="By stage">
        {queueOf(trades, failed).map(({ stage, count, isTrouble }) => (
          <li key={stage} className={isTrouble ? 'is-trouble' : ''}>
            <b>{count}</b>
            <span>{stage}</span>
          </li>
        ))}
      </ul>
      <p className="sm t2">
        {status.settlementQueue.batchesInFlight} batches in flight, {status.settlementQueue.waiting} trades waiting,{' '}
        {status.signatureQueue} signatures to check
      </p>
    </Panel>
  );
}

/** Days of remaining gas below which the operator should top up the relayer. */
const ALARM_DAYS = 3;
const FULL_DAYS = 30;

function Relayer({ relayer }: { readonly relayer: ServiceStatus['relayer'] }) {
  const { toasts } = usePage();
  const { address, balance, nonce, daysLeft, spentPerDay } = relayer;
  const [tone, word] =
    daysLeft !== null && daysLeft < ALARM_DAYS
      ? ['is-warn', 'Top up']
      : balance === null
        ? ['', 'Unknown']
        : ['is-good', 'Enough'];
  const copy = () => void copyText(toasts, { what: 'Address', text: address });
  return (
    <Panel
      id="relayer"
      title="Relayer"
      aside={<span className={`badge ${tone}`}>{word}</span>}
      testId="relayer"
      {...THIRD}
    >
      <p className="o-figure">
        <span className="fig">{balance === null ? '–' : ether.format(Number(balance) / WEI)}</span>
        <span className="t2" data-testid="runway">
          of the chain’s coin, {runwayText(relayer)}
        </span>
      </p>
      <div className="meter" aria-hidden="true">
        <span style={{ width: `${Math.min(100, ((daysLeft ?? FULL_DAYS) / FULL_DAYS) * 100)}%` }} />
        <i style={{ left: `${(ALARM_DAYS / FULL_DAYS) * 100}%` }} />
      </div>
      <dl className="o-lines">
        <Fact name="Alarm below">{ALARM_DAYS} days</Fact>
        <Fact name="Spent per day">
          {spentPerDay === null ? 'not known yet' : ether.format(Number(spentPerDay) / WEI)}
        </Fact>
        <Fact name="Nonce">{nonce ?? 'unknown'}</Fact>
      </dl>
      <Button look="line wide" onClick={copy}>
        <Icon name="copy" />
        Copy {shortHash(address)} to top up
      </Button>
    </Panel>
  );
}

function Speed({ status: { latency, rates } }: { readonly status: ServiceStatus }) {
  const ms = (value: number) => `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;
  const rows = { Accept: latency.acceptMs, Settle: latency.settleMs };
  return (
    <Panel id="speed" title="Speed" testId="figures" {...THIRD} head="">
      <table className="speed">
        <caption className="sr">How fast orders are accepted and trades settled</caption>
        <thead>
          <tr>
            <th scope="col">
              <span className="sr">What</span>
            </th>
            <th scope="col">Median</th>
            <th scope="col">99% under</th>
          </tr>
        </thead>
        <tbody>
          {Object.entries(rows).map(([name, { p50, p99 }]) => (
            <tr key={name}>
              <th scope="row">{name} p50 / p99</th>
              <td>{ms(p50)}</td>
              <td>{ms(p99)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <dl className="o-lines">
        <Fact name="Event-loop lag">{ms(latency.eventLoopLagMs)}</Fact>
        <Fact name="Orders a second">{rates.ordersPerSecond.toFixed(1)}</Fact>
      </dl>
    </Panel>
  );
}

function FailedList({ failed }: { readonly failed: Remote<FailedTrades> }) {
  const trades = failed.value?.failedTrades;
  const note = `${trades?.length ?? 0} in 24 hours`;
  return (
    <Panel id="failed" title="Failed trades" note={note} className="o-failed" testId="failed-trades">
      {trades === undefined && <Skeleton rows={3} rowHeight={40} />}
      {trades?.length === 0 && <Empty icon="check" text="None: every trade has settled or is on its way." />}
      {trades !== undefined && trades.length > 0 && (
        <ul className="desk">
          {trades.slice(0, FAILED_SHOWN).map((trade) => (
            <li key={trade.tradeId}>
              <div className="grow">
                <p>
                  <b>
                    {shares(trade.fillSize)} {outcomeOf(trade.outcome)} at {cents(trade.fillPrice)}
                  </b>{' '}
                  <span className="t2">{clockTime(trade.failedAt)}</span>
                </p>
                <p className="sm t2">
                  {trade.reason}. Fault: {trade.faultParty}. {WHAT_BECAME[trade.faultParty] ?? ''}
                </p>
              </div>
              <Link className="link sm" href={`/m/${trade.marketId}`}>
                Market<span className="sr"> of trade {trade.tradeId}</span>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

const FAILED_SHOWN = 20;
/** Text for each party at fault: its order is cancelled, and the other party's order returns to the book. */
const WHAT_BECAME: Readonly<Record<string, string>> = {
  buyer: 'No money moved: the buyer’s order was cancelled, the seller’s is back in the book.',
  seller: 'No money moved: the seller’s order was cancelled, the buyer’s is back in the book.',
  operator: 'No money moved: both orders were cancelled.',
  chain: 'No money moved: both orders were cancelled.',
};
