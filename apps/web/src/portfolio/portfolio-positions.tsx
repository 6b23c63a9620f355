// Open and closed positions of the portfolio: tables, and cards on a phone.
import { type ReactNode, useState } from 'react';
import { Link } from '../app/router.tsx';
import { cents, money, roundedCents, shares } from '../lib/format.ts';
import { type ClosedRow, type OpenRow, outcomeText } from '../lib/portfolio.ts';
import { isClosingSoon, timeLeft } from '../lib/times.ts';
import { usePage } from '../state/page-context.ts';
import { PHONE, useMedia } from '../state/preferences.ts';
import { useWatched } from '../state/store.ts';
import { Icon } from '../ui/icon.tsx';
import { Gain } from '../ui/profit.tsx';
import { Empty } from '../ui/states.tsx';

const CLOSED_SHOWN = 50;

export function OpenPositions({ rows }: { readonly rows: readonly OpenRow[] }) {
  const isPhone = useMedia(PHONE);
  if (rows.length === 0) return <FindMarket text="No open positions." />;
  return isPhone ? <OpenCards rows={rows} /> : <OpenTable rows={rows} />;
}

function FindMarket({ text }: { readonly text: string }) {
  return (
    <Empty text={text} icon="grid">
      <Link href="/" className="btn btn-line">
        Find a market
      </Link>
    </Empty>
  );
}

function OpenTable({ rows }: { readonly rows: readonly OpenRow[] }) {
  const sum = (pick: (row: OpenRow) => bigint) => rows.reduce((total, row) => total + pick(row), 0n);
  return (
    <table className="table" data-testid="portfolio-positions">
      <caption className="sr">Open positions</caption>
      <Head
        names={['Market', 'Side', 'Shares', 'Average', 'Now', 'Value', 'Profit', 'If right', 'Closes', 'Action']}
        words={2}
      />
      <tbody>
        {rows.map((row) => (
          <tr key={`${row.marketId} ${row.outcome}`} data-testid="open-position">
            <td className="wrap">
              <MarketName row={row} />
            </td>
            <td>
              <Side row={row} />
            </td>
            <td className="num">{shares(row.shares)}</td>
            <td className="num">{roundedCents(row.average)}</td>
            <td className="num">{cents(row.now)}</td>
            <td className="num strong" data-testid="value">
              {money(row.value)}
            </td>
            <td className="num" data-testid="profit">
              <Gain amount={row.profit} />
              <div className="xs t3">{percentOf(row)}</div>
            </td>
            <td className="num">{money(row.shares)}</td>
            <td className="num">
              <Closes until={row.closes} />
            </td>
            <td className="num">
              <SellLink row={row} />
            </td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <td className="t2" colSpan={5}>
            {rows.length} {rows.length === 1 ? 'position' : 'positions'}
          </td>
          <td className="num strong">{money(sum(({ value }) => value))}</td>
          <td className="num" data-testid="open-profit">
            <Gain amount={sum(({ profit }) => profit)} />
          </td>
          <td className="num">{money(sum((row) => row.shares))}</td>
          <td colSpan={2} />
        </tr>
      </tfoot>
    </table>
  );
}

function OpenCards({ rows }: { readonly rows: readonly OpenRow[] }) {
  return (
    <div className="pcards" data-testid="portfolio-positions">
      {rows.map((row) => (
        <article key={`${row.marketId} ${row.outcome}`} className="pcard" data-testid="open-position">
          <MarketName row={row} />
          <div className="row between">
            <span className="row">
              <Side row={row} />
              <span className="t2">{shares(row.shares)} shares</span>
            </span>
            <b data-testid="value">{money(row.value)}</b>
          </div>
          <div className="row between sm">
            <span className="t2">
              {roundedCents(row.average)} paid, {cents(row.now)} now
            </span>
            <span data-testid="profit">
              <Gain amount={row.profit} />
            </span>
          </div>
          <div className="row between pfoot sm">
            <Closes until={row.closes} />
            <span className="t2">
              pays {money(row.shares)} if {outcomeText(row.outcome, row.kind)}
            </span>
            <SellLink row={row} />
          </div>
        </article>
      ))}
    </div>
  );
}

export function ClosedPositions({ rows }: { readonly rows: readonly ClosedRow[] }) {
  const isPhone = useMedia(PHONE);
  const [isAll, setIsAll] = useState(false);
  if (rows.length === 0)
    return <Empty text="Nothing is over yet. Decided and sold markets are listed here." icon="clock" />;
  const shown = isAll ? rows : rows.slice(0, CLOSED_SHOWN);
  return (
    <>
      {isPhone ? <ClosedCards rows={shown} /> : <ClosedTable rows={shown} />}
      {shown.length < rows.length && (
        <p className="pad">
          <button type="button" className="btn btn-line" onClick={() => setIsAll(true)}>
            Show all {rows.length}
          </button>
        </p>
      )}
    </>
  );
}

function ClosedTable({ rows }: { readonly rows: readonly ClosedRow[] }) {
  return (
    <table className="table" data-testid="closed-positions">
      <caption className="sr">Closed positions</caption>
      <Head names={['Market', 'Result', 'Paid', 'Got', 'Profit']} words={2} />
      <tbody>
        {rows.map((row) => (
          <tr key={row.marketId} data-testid="closed-position" data-result={row.result}>
            <td className="wrap">
              <MarketName row={row} />
            </td>
            <td>
              <ResultBadge row={row} />
            </td>
            <td className="num">{money(row.paid)}</td>
            <td className="num">
              {money(row.got)}
              {row.waiting > 0n && <div className="xs t3">to redeem</div>}
            </td>
            <td className="num" data-testid="profit">
              <Gain amount={row.profit} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function ClosedCards({ rows }: { readonly rows: readonly ClosedRow[] }) {
  return (
    <div className="pcards" data-testid="closed-positions">
      {rows.map((row) => (
        <article key={row.marketId} className="pcard" data-testid="closed-position" data-result={row.result}>
          <MarketName row={row} />
          <div className="row between">
            <ResultBadge row={row} />
            <span data-testid="profit">
              <Gain amount={row.profit} />
            </span>
          </div>
          <p className="sm t2">
            Paid {money(row.paid)}, got {money(row.got)}
            {row.waiting > 0n ? ', to redeem' : ''}
          </p>
        </article>
      ))}
    </div>
  );
}

function ResultBadge({ row: { result, text } }: { readonly row: ClosedRow }) {
  return (
    <span className="row">
      <span className="badge">{text}</span>
      {result === 'lost' && <span className="t2 sm">lost</span>}
    </span>
  );
}

export function Head({ names, words }: { readonly names: readonly string[]; readonly words: number }) {
  return (
    <thead>
      <tr>
        {names.map((name, index) => (
          <th key={name} scope="col" className={index < words ? '' : 'num'}>
            {name === 'Action' ? <span className="sr">{name}</span> : name}
          </th>
        ))}
      </tr>
    </thead>
  );
}

function MarketName({ row }: { readonly row: { readonly marketId: string; readonly question: string } }): ReactNode {
  return (
    <Link className="clip" href={`/m/${row.marketId}`}>
      {row.question}
    </Link>
  );
}

function Side({ row }: { readonly row: OpenRow }) {
  const isYes = row.outcome === 'YES';
  const icon = row.kind === 'quick' ? (isYes ? 'up' : 'down') : isYes ? 'check' : 'cross';
  return (
    <span className="row">
      <span className={isYes ? 'side yes' : 'side no'}>
        <Icon name={icon} size={14} />
        {outcomeText(row.outcome, row.kind)}
      </span>
      {row.isPending && <span className="badge">settling</span>}
    </span>
  );
}

function Closes({ until }: { readonly until: number }) {
  const now = useWatched(usePage().clock.seconds);
  return <span className={isClosingSoon(until, now) ? 'warn' : 't2'}>{timeLeft(until, now)}</span>;
}

function SellLink({ row }: { readonly row: OpenRow }) {
  const outcome = outcomeText(row.outcome, row.kind);
  return (
    <Link
      className="btn btn-line sm"
      href={`/m/${row.marketId}?sell=${row.outcome.toLowerCase()}`}
      aria-label={`Sell ${outcome}: ${row.question}`}
    >
      Sell
    </Link>
  );
}

function percentOf({ profit, cost }: OpenRow): string {
  if (cost === 0n) return '';
  const tenths = Number((profit * 1_000n) / cost) / 10;
  return `${tenths < 0 ? '−' : '+'}${Math.abs(tenths).toFixed(1)}%`;
}
