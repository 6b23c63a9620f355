// The proof screen: verifies the exchange in the visitor's browser, shows the backing of shares, the signed history and the visitor's receipts.
import type { JournalAnchors, JournalHead, Market, Solvency } from '@presage/sdk';
import { Link } from '../app/router.tsx';
import { money, plural, shares, shortHash } from '../lib/format.ts';
import { drawTime } from '../lib/times.ts';
import { useReceipts } from '../state/kept-receipts.ts';
import { usePage } from '../state/page-context.ts';
import { PHONE, useMedia } from '../state/preferences.ts';
import { type Remote, useRemote } from '../state/remote.ts';
import { useWatched } from '../state/store.ts';
import { useTitle } from '../state/use-title.ts';
import { Fact, Panel } from '../ui/panel.tsx';
import { Empty, Failed, Skeleton } from '../ui/states.tsx';
import { Table } from '../ui/table.tsx';
import { SolvencyPanel, useSolvency } from './solvency.tsx';
import { VerifyPanel } from './verify-panel.tsx';

const BEAT_MS = 10_000;
const MARKETS_SHOWN = 50;
const RECEIPTS_SHOWN = 20;

export function ProofScreen({ markets }: { readonly markets: Remote<readonly Market[]> }) {
  useTitle('Proof');
  const { reader } = usePage();
  const solvency = useSolvency();
  const head = useRemote('journal head', (signal) => reader.getJournalHead({ signal }), { everyMs: BEAT_MS });
  const anchors = useRemote('anchors', (signal) => reader.listAnchors({ limit: 1 }, { signal }), { everyMs: BEAT_MS });
  const questions = new Map((markets.value ?? []).map(({ id, question }) => [id, question]));
  return (
    <main id="main" tabIndex={-1} className="page proof" data-screen="proof" data-state={solvency.state}>
      <h1 className="sr">Proof</h1>
      <VerifyPanel />
      {/* Shown all at once: panels that load later would move what the visitor reads. */}
      {[solvency, head, anchors, markets].some(({ state }) => state === 'loading') ? (
        <Skeleton rows={20} rowHeight={30} />
      ) : (
        <>
          <div className="proof-grid">
            <SolvencyPanel solvency={solvency} />
            <HistoryPanel head={head} anchors={anchors} />
          </div>
          <MarketTable solvency={solvency} questions={questions} />
          <ReceiptList questions={questions} />
          <HowTo />
        </>
      )}
    </main>
  );
}

/** The signed head and its anchors on chain, which bind the operator to one history. */
function HistoryPanel({ head, anchors }: { head: Remote<JournalHead>; anchors: Remote<JournalAnchors> }) {
  const newest = head.value?.heads[0];
  const last = anchors.value?.anchors[0];
  const title = 'One history for everybody';
  return (
    <Panel id="history" title={title} className="proof-pad" head="" testId="history" state={head.state}>
      {head.state === 'loading' && <Skeleton rows={6} />}
      {head.state === 'error' && <Failed what="The signed head" of={head} />}
      {head.value && (
        <dl className="o-lines">
          <Fact name="Signed up to record" testId="head-seq">
            {newest?.lastSeq ?? 'none yet'}
          </Fact>
          <Fact name="Signed at">{newest === undefined ? '–' : <Moment timeMs={newest.timeMs} />}</Fact>
          <Fact name="Fingerprint" title={newest?.frameHash}>
            {newest === undefined ? '–' : shortHash(newest.frameHash)}
          </Fact>
          <Fact name="Published">
            {head.value.delaySeconds === 0 ? 'at once' : `after ${plural(head.value.delaySeconds, 'second')}`}
          </Fact>
          <Fact name="Last written on chain" testId="last-anchor">
            {last === undefined ? 'not yet' : <Moment timeMs={last.timeMs} />}
          </Fact>
          <Fact name="Written on chain so far">{plural(anchors.value?.count ?? 0, 'time')}</Fact>
        </dl>
      )}
      <p className="sm t2">
        The operator cannot take back what it has signed or written on chain: another history would contradict it.
      </p>
    </Panel>
  );
}

function Moment({ timeMs }: { readonly timeMs: number }) {
  const now = useWatched(usePage().clock.seconds);
  return drawTime(Math.floor(timeMs / 1_000), now);
}

interface MarketTableProps {
  readonly solvency: Remote<Solvency>;
  readonly questions: ReadonlyMap<string, string>;
}

function MarketTable({ solvency, questions }: MarketTableProps) {
  const isPhone = useMedia(PHONE);
  const markets = solvency.value?.markets ?? [];
  const more = markets.length - MARKETS_SHOWN;
  const note = `${plural(markets.length, 'market')} with shares`;
  return (
    <Panel id="markets" title="Market by market" note={note} testId="solvency-markets">
      {solvency.state === 'ready' && markets.length === 0 && (
        <Empty text="No shares yet. The first settled trade creates some, each pair against one dollar." icon="coin" />
      )}
      {markets.length > 0 &&
        (isPhone ? (
          <MarketCards markets={markets.slice(0, MARKETS_SHOWN)} questions={questions} />
        ) : (
          <MarketRows markets={markets.slice(0, MARKETS_SHOWN)} questions={questions} />
        ))}
      {more > 0 && <p className="proof-pad sm t2">and {plural(more, 'smaller one')}</p>}
      {markets.some(({ yesShares, noShares }) => BigInt(yesShares) !== BigInt(noShares)) && (
        <p className="proof-pad sm t2" data-testid="left-shares">
          Where the two sides differ, winners have redeemed: the shares of the losing side stay with their holders, pay
          nothing, and need no backing.
        </p>
      )}
    </Panel>
  );
}

interface RowsProps {
  readonly markets: Solvency['markets'];
  readonly questions: ReadonlyMap<string, string>;
}

function MarketRows({ markets, questions }: RowsProps) {
  return (
    <Table
      caption="Shares and what backs them, market by market"
      rows={markets}
      keyOf={({ marketId }) => marketId}
      columns={[
        {
          name: 'Market',
          className: 'wrap',
          cell: ({ marketId }) => <MarketLink marketId={marketId} questions={questions} />,
        },
        { name: 'YES shares', className: 'num', cell: ({ yesShares }) => shares(yesShares) },
        { name: 'NO shares', className: 'num', cell: ({ noShares }) => shares(noShares) },
        { name: 'Backed by', className: 'num', cell: ({ locked }) => money(locked) },
      ]}
    />
  );
}

function MarketCards({ markets, questions }: RowsProps) {
  return (
    <ul className="desk">
      {markets.map(({ marketId, yesShares, noShares, locked }) => (
        <li key={marketId}>
          <div className="grow">
            <MarketLink marketId={marketId} questions={questions} />
            <p className="sm t2">
              {shares(yesShares)} YES and {shares(noShares)} NO
            </p>
          </div>
          <b>{money(locked)}</b>
        </li>
      ))}
    </ul>
  );
}

function MarketLink({ marketId, questions }: { readonly marketId: string } & Pick<RowsProps, 'questions'>) {
  return (
    <Link className="link" href={`/m/${marketId}`}>
      {questions.get(marketId) ?? shortHash(marketId)}
    </Link>
  );
}

function ReceiptList({ questions }: { readonly questions: ReadonlyMap<string, string> }) {
  const receipts = useReceipts();
  return (
    <Panel id="receipts" title="Your receipts" note={`${receipts.length} kept in this browser`} testId="receipts">
      {receipts.length === 0 ? (
        <Empty
          text="For each order the operator signs its place in the history. Your receipts appear here."
          icon="list"
        />
      ) : (
        <ul className="desk">
          {receipts.slice(0, RECEIPTS_SHOWN).map(({ orderHash, marketId, text, receipt }) => (
            <li key={orderHash}>
              <div className="grow">
                <p>
                  <b>{text}</b>
                </p>
                <p className="sm t2">{questions.get(marketId) ?? shortHash(marketId)}</p>
              </div>
              <span className="sm t2">
                record {receipt.seq}, <Moment timeMs={receipt.timeMs} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function HowTo() {
  return (
    <Panel id="howto" title="With a node of your own" className="proof-pad" head="">
      <p className="t2">
        The operator sent this page. To rely on nobody, run the published program, which also compares every settled
        trade and the collateral with the chain:
      </p>
      <pre className="command">npx @presage/cli verify --url {location.origin} --rpc https://your.node</pre>
    </Panel>
  );
}
