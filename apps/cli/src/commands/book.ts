// `presage book`: the current book from the service, or the book after any step, rebuilt from the journal.
import { BUY, type MarketId, NO, type Outcome, SELL, YES } from '@presage/protocol';
import type { Command } from 'commander';
import type { Act, Call } from '../act.ts';
import type { Context } from '../context.ts';
import { drawTimeMs } from '../durations.ts';
import { UsageError } from '../exit-codes.ts';
import { findMarket } from '../find-market.ts';
import { type DataDirOption, JournalDir } from '../journal/journal-dir.ts';
import { findJournalMarket, type RebuiltMarket, rebuildMarket } from '../journal/rebuild-book.ts';
import { drawLadder, type LadderBook } from '../ladder.ts';
import { plain } from '../output.ts';
import { outcomeName } from '../values.ts';
import { dataDirOption } from './journal.ts';

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

export function addBook(program: Command, act: Act): void {
  program
    .command('book <market>')
    .description('show the current books of a market, or with --at those after a given step, from the journal')
    .option('--at <seq>', 'the step, which is the `seq` of books and streams, or "last"')
    .addOption(dataDirOption())
    .action(act<BookOptions>(showBook));
}

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
  const seq = Math.max(yes.seq, no.seq);
  return {
    marketId: market.id,
    question: market.question,
    seq,
    timeMs: yes.lastUpdate * 1_000,
    source: 'service',
    books,
  };
}

async function rebuild(context: Context, text: string, options: BookOptions): Promise<ShownMarket> {
  const journal = await JournalDir.open(options, context.env);
  const market = await findJournalMarket(journal, text);
  return toShown(await rebuildMarket(journal, market, parseStep(options.at)));
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

function parseStep(text = 'last'): number | undefined {
  if (text === 'last') return undefined;
  const step = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(step) && step > 0) return step;
  throw new UsageError(`"${text}" is not a step`, 'Write a whole number above 0, or last.');
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
