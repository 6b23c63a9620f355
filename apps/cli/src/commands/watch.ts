// `presage watch`: shows a live market: its ladder redrawn with every change, its latest trades below.
import type { BookEvent, MarketUpdate, OutcomeName, Trade, WatchMarketEvent } from '@presage/sdk';
import { type Call, command, option } from '../command-spec.ts';
import { interruption } from '../context.ts';
import { drawTime } from '../durations.ts';
import { findMarket } from '../find-market.ts';
import { drawLadder } from '../ladder.ts';
import { type Output, plain } from '../output.ts';
import { drawAmount, drawFee, drawPrice, outcomeName, parseOutcome, parseWhole } from '../values.ts';

interface WatchOptions {
  readonly outcome: string;
  readonly count?: string;
}

type TradeUpdate = Extract<MarketUpdate, { readonly type: 'trade' | 'trade_status' }>;

const TRADES_SHOWN = 5;
/** Lines other than levels: question, header, separator, trades and their margins. */
const OTHER_LINES = 8 + TRADES_SHOWN;

export const WATCH = command(
  'watch <market>',
  'follow a market: its ladder and its trades, until Ctrl-C',
  watch,
  option('--outcome <outcome>', 'outcome whose book is shown', 'yes'),
  option('--count <changes>', 'exit after this many changes'),
);

async function watch({ context, args: [text = ''], options }: Call<WatchOptions>): Promise<void> {
  const outcome = parseOutcome(options.outcome);
  const left = options.count === undefined ? Number.POSITIVE_INFINITY : parseWhole('--count', options.count, 1);
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

/** The content of the screen: one book and the newest trades. */
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
    if (event.type === 'gap') this.#output.note(`events may have been missed (${event.reason})`);
    else if (event.type === 'book' && event.outcome === this.#outcome) this.#book = event;
    else if (event.type === 'trade' || event.type === 'trade_status') this.#keep(event);
    else if (event.type === 'book') return false;
    if (this.#output.json) this.#output.show(event, () => '');
    else if (this.#book !== undefined) this.#draw(event, this.#book);
    return true;
  }

  #keep({ data }: TradeUpdate): void {
    const known = this.#trades.get(data.id);
    // An update of a trade comes after the trade itself, so the merged fields are complete.
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
        ...[...this.#trades.values()].reverse().map(drawTrade),
      ].join('\n'),
    );
  }
}

function drawTrade({ timestamp, outcome, price, size, fee, stage }: Trade): string {
  const terms = `${outcomeName(outcome).padEnd(3)} ${drawAmount(size)} @ ${drawPrice(price)}`;
  return `${drawTime(timestamp).slice(11)}  ${terms}${drawFee(fee)}  ${stage}`;
}
