// `presage watch`: a live market: its ladder redrawn with every change, its latest trades below.
import type { BookEvent, MarketUpdate, OutcomeName, Trade, WatchMarketEvent } from '@presage/sdk';
import type { Command } from 'commander';
import type { Act, Call } from '../act.ts';
import { UsageError } from '../exit-codes.ts';
import { findMarket } from '../find-market.ts';
import { interruption } from '../interruption.ts';
import { drawLadder, drawTrade } from '../ladder.ts';
import { type Output, plain } from '../output.ts';
import { outcomeName, parseOutcome } from '../values.ts';

interface WatchOptions {
  readonly outcome: string;
  readonly count?: string;
}

type TradeUpdate = Extract<MarketUpdate, { readonly type: 'trade' | 'trade_status' }>;

const TRADES_SHOWN = 5;
/** Lines other than levels: question, header, separator, trades and their margins. */
const OTHER_LINES = 8 + TRADES_SHOWN;

export function addWatch(program: Command, act: Act): void {
  program
    .command('watch <market>')
    .description('follow a market: its ladder and its trades, until Ctrl-C')
    .option('--outcome <outcome>', 'whose book', 'yes')
    .option('--count <changes>', 'end after this many changes')
    .action(act<WatchOptions>(watch));
}

async function watch({ context, args: [text = ''], options }: Call<WatchOptions>): Promise<void> {
  const outcome = parseOutcome(options.outcome);
  const left = parseChanges(options.count);
  const market = await findMarket(context, text);
  const signal = interruption();
  const screen = new Screen(context.output, { question: market.question, outcome });
  const onLost = () => context.output.note('connection lost; reconnecting');
  let changes = 0;
  try {
    for await (const event of context.reader.watchMarket(market.id, { signal, onLost })) {
      if (screen.show(event)) changes += 1;
      if (changes >= left) return;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** What is on the screen: one book and the newest trades. */
class Screen {
  readonly #output: Output;
  readonly #question: string;
  readonly #outcome: OutcomeName;
  readonly #trades = new Map<number, Trade>();
  #book: BookEvent | undefined;

  constructor(output: Output, { question, outcome }: { readonly question: string; readonly outcome: OutcomeName }) {
    this.#output = output;
    this.#question = question;
    this.#outcome = outcome;
  }

  /** Returns whether there was something to show. */
  show(event: WatchMarketEvent): boolean {
    if (event.type === 'gap') this.#output.note(`something may have been missed (${event.reason})`);
    else if (event.type === 'book' && event.outcome === this.#outcome) this.#book = event;
    else if (event.type === 'trade' || event.type === 'trade_status') this.#keep(event);
    else if (event.type === 'book') return false;
    if (this.#output.json) this.#output.show(event, () => '');
    else if (this.#book !== undefined) this.#draw(event, this.#book);
    return true;
  }

  #keep({ data }: TradeUpdate): void {
    const known = this.#trades.get(data.id);
    // A change of a trade comes after the trade itself.
    this.#trades.set(data.id, { ...known, ...(data as Trade) });
    const oldest = this.#trades.keys().next().value;
    if (this.#trades.size > TRADES_SHOWN && oldest !== undefined) this.#trades.delete(oldest);
  }

  #draw(event: WatchMarketEvent, book: BookEvent): void {
    const { colors } = this.#output;
    const depth = this.#output.isTerminal ? Math.max(2, Math.floor((this.#output.rows - OTHER_LINES) / 2)) : undefined;
    this.#output.redraw(event, () =>
      [
        `${colors.bold(plain(this.#question))}`,
        colors.dim(`${this.#outcome}  step ${book.seq}  hash ${book.hash}`),
        '',
        drawLadder(book, colors, depth),
        '',
        ...[...this.#trades.values()].reverse().map(drawWireTrade),
      ].join('\n'),
    );
  }
}

function drawWireTrade({ timestamp, outcome, price, size, stage }: Trade): string {
  return drawTrade({ timeMs: timestamp * 1_000, outcome: outcomeName(outcome), price, size, stage });
}

function parseChanges(text: string | undefined): number {
  if (text === undefined) return Number.POSITIVE_INFINITY;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new UsageError(`"${text}" is not a number of changes`, 'Write a whole number above 0.');
}
