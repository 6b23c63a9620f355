// A decided market: the result, how it was reached, the visitor's shares and winnings, and related open markets.
import type { Market, UserPosition } from '@presage/sdk';
import type { ReactNode } from 'react';
import { Link } from '../app/router.tsx';
import { compactMoney, money, moneyDown, shares } from '../lib/format.ts';
import { outcomeOf, outcomeText, voidPrice, voidText } from '../lib/outcomes.ts';
import { hasShares, paidOf } from '../lib/portfolio.ts';
import { drawTime } from '../lib/times.ts';
import type { MarketFeed } from '../state/market-feed.ts';
import { usePage } from '../state/page-context.ts';
import { PHONE, useMedia } from '../state/preferences.ts';
import { useRemote } from '../state/remote.ts';
import { usePart, useWatched } from '../state/store.ts';
import { useTitle } from '../state/use-title.ts';
import { CategoryTile } from '../ui/category-tile.tsx';
import { Icon } from '../ui/icon.tsx';
import { Fact, Panel, Stat } from '../ui/panel.tsx';
import { Gain } from '../ui/profit.tsx';
import { RedeemButton } from '../ui/redeem-button.tsx';
import { Related } from '../ui/related.tsx';
import { MarketChart } from './market-chart.tsx';
import { Within } from './market-header.tsx';
import { ResolutionTimeline } from './resolution-timeline.tsx';
import { Tape } from './tape.tsx';

const ONE = 1_000_000n;
/** Columns scroll by themselves, so the keyboard must reach them. */
const REACHABLE = 0;

/** `YES won`, `Down won`, `Void`. */
function verdictText({ status, winningOutcome, kind }: Market): string {
  if (status === 'void') return 'Void';
  return `${outcomeText(outcomeOf(winningOutcome), kind)} won`;
}

interface ResolvedProps {
  readonly feed: MarketFeed;
  readonly market: Market;
  /** Replaces the market's head and chart. */
  readonly children?: ReactNode;
}

export function ResolvedColumns({ feed, market, children }: ResolvedProps) {
  const isPhone = useMedia(PHONE);
  return (
    <>
      <section className="col col-verdict" aria-label="Market" tabIndex={REACHABLE}>
        {children ?? <Head market={market} feed={feed} />}
        {isPhone && <Yours market={market} />}
        <section className="panel road-panel" aria-label="How it was decided">
          <ResolutionTimeline feed={feed} />
        </section>
        {children === undefined && <MarketChart feed={feed} />}
        <Panel id="tape" title="All trades">
          <Tape feed={feed} rows={50} />
        </Panel>
        <Panel id="rules" title="Rules">
          <p className="pad prose">{market.description || 'There is no description.'}</p>
        </Panel>
      </section>
      <section className="col col-yours" aria-label="Yours" tabIndex={REACHABLE}>
        {!isPhone && <Yours market={market} />}
        <Related market={market} title="Open now, like this one" />
      </section>
    </>
  );
}

function Head({ market, feed }: { readonly market: Market; readonly feed: MarketFeed }) {
  const now = useWatched(usePage().clock.seconds);
  const resolution = usePart(feed.facts, (facts) => facts.resolution);
  useTitle(`${verdictText(market)}: ${market.question}`, market.description || market.question);
  const isVoid = market.status === 'void';
  const yes = isVoid ? voidPrice(market.id) : market.winningOutcome === 0 ? ONE : 0n;
  const tone = isVoid ? 'is-void' : market.winningOutcome === 0 ? 'is-yes' : 'is-no';
  const disputes = resolution?.history.length ?? 0;
  const how =
    market.kind === 'quick'
      ? 'By the price at the end.'
      : disputes === 0
        ? 'Nobody disputed the result.'
        : `After ${disputes} rejected ${disputes === 1 ? 'proposal' : 'proposals'}.`;
  const closes = Number(market.expiration);
  const ended = closes > now ? 'early' : drawTime(closes, now);
  return (
    <section className="panel m-head" aria-label="Verdict" data-testid="market-header" data-state="closed">
      <p className="crumbs">
        <Link href="/">Markets</Link> / <Within market={market} />
      </p>
      <div className="m-title">
        <CategoryTile category={market.category} isLarge />
        <h1 data-testid="market-title" title={market.question}>
          {market.question}
        </h1>
      </div>
      <div className={`verdict ${tone}`} data-testid="verdict">
        <span className="seal" aria-hidden="true">
          <Icon name={isVoid ? 'flat' : market.winningOutcome === 0 ? 'check' : 'cross'} size={26} />
        </span>
        <div className="grow">
          <p className="hero-figure">{verdictText(market)}</p>
          <p className="t2">
            Trading ended {ended}. {isVoid ? `${voidText(market.id)}.` : how}
          </p>
        </div>
        <dl className="stats">
          <Stat name={`${outcomeText('YES', market.kind)} pays`}>{money(yes)}</Stat>
          <Stat name={`${outcomeText('NO', market.kind)} pays`}>{money(ONE - yes)}</Stat>
          <Stat name="Volume">{compactMoney(market.volume)}</Stat>
        </dl>
      </div>
    </section>
  );
}

function useDecidedPosition({ id: marketId, chainId }: Market): UserPosition | undefined {
  const { reader, account } = usePage();
  const { wallet, version } = useWatched(account.state);
  const address = wallet?.address ?? '';
  const { value } = useRemote(
    wallet ? `all positions ${chainId} ${address}` : '',
    async (signal) => (await reader.listPositions(address, { chain_id: chainId, shares: 'any' }, { signal })).positions,
    { version },
  );
  return value?.find((position) => position.marketId === marketId);
}

function Yours({ market }: { readonly market: Market }) {
  const position = useDecidedPosition(market);
  if (position === undefined) return null;
  const value = BigInt(position.value);
  const isHeld = hasShares(position);
  return (
    <section
      className={value > 0n ? 'panel claim is-won' : 'panel claim'}
      aria-labelledby="h-claim"
      data-testid="claim"
      data-result={market.status === 'void' ? 'void' : value > 0n ? 'won' : isHeld ? 'lost' : 'over'}
    >
      <div className="claim-top">
        {value > 0n && (
          <span className="tile redeem-tile" aria-hidden="true">
            <Icon name="trophy" size={20} />
          </span>
        )}
        <div>
          <h2 id="h-claim">{sentenceOf(market, position)}</h2>
          {value > 0n && <p className="hero-figure">{money(value)}</p>}
        </div>
      </div>
      <dl className="o-lines">
        {isHeld && <Fact name="Your shares">{heldText(position)}</Fact>}
        <Fact name="You paid">{money(paidOf(position))}</Fact>
        <Fact name="You got so far">{money(position.revenue)}</Fact>
        <Fact name="Profit" testId="claim-profit">
          <Gain amount={BigInt(position.pnl)} />
        </Fact>
      </dl>
      {value > 0n && <Redemption market={market} value={value} />}
    </section>
  );
}

function heldText({ yesShares, noShares, kind }: UserPosition): string {
  const parts = [
    BigInt(yesShares) > 0n ? `${shares(yesShares)} ${outcomeText('YES', kind)}` : '',
    BigInt(noShares) > 0n ? `${shares(noShares)} ${outcomeText('NO', kind)}` : '',
  ];
  return parts.filter((part) => part !== '').join(', ');
}

function sentenceOf(market: Market, position: UserPosition): string {
  if (!hasShares(position)) return 'You hold nothing here any more';
  if (market.status === 'void') return `Void. ${voidText(market.id)}.`;
  const won = outcomeText(outcomeOf(market.winningOutcome), market.kind);
  if (BigInt(position.value) === 0n) return `${won} won. Your ${heldText(position)} pay nothing.`;
  const held = BigInt(position.yesShares) >= BigInt(position.noShares) ? 'YES' : 'NO';
  const side = outcomeText(held, market.kind);
  return side === won ? `You picked ${won}, and ${won} won` : `${won} won`;
}

function Redemption({ market, value }: { readonly market: Market; readonly value: bigint }) {
  return (
    <>
      <RedeemButton testId="redeem" value={value} markets={[market.id]}>
        Redeem {moneyDown(value)}
      </RedeemButton>
      <p className="sm t2">
        One signature. No gas to pay. There is no deadline.{' '}
        <Link className="link" href="/portfolio">
          All winnings
        </Link>
      </p>
    </>
  );
}
