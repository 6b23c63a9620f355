// `presage book`: the current book from the service, or the book after any step, rebuilt from the journal.

import { Engine } from '@presage/engine';
import {
  asHex,
  BUY,
  isEngineEvent,
  type MarketFacts,
  type MarketId,
  NO,
  type Outcome,
  SELL,
  YES,
} from '@presage/protocol';
import { type Call, command, option } from '../command-spec.ts';
import type { Context } from '../context.ts';
import { drawTimeMs } from '../durations.ts';
import { UsageError } from '../exit-codes.ts';
import { findMarket, type NamedMarket, pickMarket } from '../find-market.ts';
import { type DataDirOption, JournalDir } from '../journal/journal-dir.ts';
import { drawLadder, type LadderBook } from '../ladder.ts';
import { plain } from '../output.ts';
import { outcomeName, parseWhole } from '../values.ts';
import { DATA_DIR } from './journal.ts';

interface BookOptions extends DataDirOption {
  readonly at?: string;
}

interface ShownBook extends LadderBook {
  readonly outcome: Outcome;
  readonly hash: string;
}

interface ShownMarket {
  readonly marketId: string;
  readonly question: string;
  readonly seq: number;
  readonly timeMs: number;
  readonly source: 'service' | 'journal';
  readonly books: readonly ShownBook[];
}

export const BOOK = command(
  'book <market>',
  'show the current books of a market, or with --at those after a given step, from the journal',
  showBook,
  option('--at <seq>', 'step, the `seq` of books and streams; or "last"'),
  DATA_DIR,
);

async function showBook({ context, args: [text = ''], options }: Call<BookOptions>): Promise<void> {
  const fromJournal = options.at !== undefined || options.dataDir !== undefined;
  const shown = fromJournal ? await rebuild(context, text, options) : await ask(context, text);
  context.output.show(shown, () => draw(shown, context));
}

async function ask(context: Context, text: string): Promise<ShownMarket> {
  const market = await findMarket(context, text);
  const options = { signal: context.signal };
  const [yes, no] = await Promise.all([
    context.reader.getOrderbook(market.id, { outcome: 'YES' }, options),
    context.reader.getOrderbook(market.id, { outcome: 'NO' }, options),
  ]);
  const show = (outcome: Outcome, { bids, asks, hash }: typeof yes) => ({ outcome, bids, asks, hash });
  const books = [show(YES, yes), show(NO, no)];
  const { id: marketId, question } = market;
  const [seq, timeMs] = [Math.max(yes.seq, no.seq), yes.lastUpdate * 1_000];
  return { marketId, question, seq, timeMs, source: 'service', books };
}

async function rebuild(context: Context, text: string, options: BookOptions): Promise<ShownMarket> {
  const journal = await JournalDir.open(options, context.env);
  const market = await findJournalMarket(journal, text);
  const { at = 'last' } = options;
  return toShown(await rebuildMarket(journal, market, at === 'last' ? undefined : parseWhole('--at', at, 1)));
}

function toShown({ engine, facts, seq, timeMs }: RebuiltMarket): ShownMarket {
  const marketId: MarketId = facts.marketId;
  const books = ([YES, NO] as const).map((outcome) => ({
    outcome,
    bids: engine.levels(marketId, outcome, BUY),
    asks: engine.levels(marketId, outcome, SELL),
    hash: engine.bookHash(marketId, outcome),
  }));
  return { marketId, question: facts.question, seq, timeMs, source: 'journal', books };
}

function draw({ marketId, question, seq, timeMs, source, books }: ShownMarket, { output }: Context): string {
  const { colors } = output;
  const head = `${plain(question)}\n${colors.dim(`${marketId}  step ${seq}  ${drawTimeMs(timeMs)} UTC  from the ${source}`)}`;
  const ladders = books.map(
    (book) =>
      `${colors.bold(outcomeName(book.outcome))}  ${colors.dim(`hash ${book.hash}`)}\n${drawLadder(book, colors)}`,
  );
  return [head, ...ladders].join('\n\n');
}

interface JournalMarket extends NamedMarket {
  readonly partition: string;
  readonly facts: MarketFacts;
}

interface RebuiltMarket {
  readonly engine: Engine;
  readonly facts: MarketFacts;
  /** The market's step at which the state is current. */
  readonly seq: number;
  readonly timeMs: number;
}

async function findJournalMarket(journal: JournalDir, text: string): Promise<JournalMarket> {
  const markets = new Map<string, JournalMarket>();
  for (const partition of journal.marketPartitions) {
    for await (const { record } of journal.read(partition)) {
      if (record.type === 'market-listed') {
        const { marketId: id, market: facts } = record;
        markets.set(id, { id, question: facts.question, isOpen: true, partition, facts });
      } else if (record.type === 'market-closed') {
        const closed = markets.get(record.marketId);
        if (closed) markets.set(closed.id, { ...closed, isOpen: false });
      }
    }
  }
  return pickMarket([...markets.values()], text);
}

/** Events of other markets are skipped: no market's state depends on another's. */
async function rebuildMarket(
  journal: JournalDir,
  market: JournalMarket,
  at: number | undefined,
): Promise<RebuiltMarket> {
  const engine = new Engine();
  const wanted = at ?? Number.POSITIVE_INFINITY;
  for await (const { record } of journal.read(market.partition)) {
    if (!isEngineEvent(record) || record.marketId !== market.id) continue;
    if (record.step > wanted) break;
    engine.evolve(record);
  }
  const view = engine.market(asHex(market.id));
  if (view === undefined || (at !== undefined && view.step < at)) {
    throw new UsageError(`the market has no step ${at}`, `The journal has steps 1 to ${view?.step ?? 0}.`);
  }
  return { engine, facts: market.facts, seq: view.step, timeMs: view.updatedMs };
}
