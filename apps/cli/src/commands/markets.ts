// `presage markets`: lists markets, and creates one in the sandbox.
import type { Market, MarketList, MarketStatus, MarketsQuery } from '@presage/sdk';
import { type Call, type CommandSpec, command, option } from '../command-spec.ts';
import type { Context } from '../context.ts';
import { drawTime, parseDuration } from '../durations.ts';
import { findEvent, listStandardMarkets, shortId } from '../find-market.ts';
import { plain } from '../output.ts';
import type { Column } from '../table.ts';
import { definedOnly, drawAmount, drawPrice } from '../values.ts';

interface ListOptions {
  readonly status?: MarketStatus;
  readonly search?: string;
  readonly kind?: Market['kind'];
  readonly event?: string;
  readonly all?: true;
}

interface CreateOptions {
  readonly expires: string;
  readonly category?: NonNullable<Market['category']>;
  readonly description?: string;
}

export const STATUSES: readonly MarketStatus[] = ['open', 'expired', 'proposed', 'disputed', 'resolved', 'void'];
const KINDS: readonly Market['kind'][] = ['standard', 'quick'];

const COLUMNS: readonly Column<Market>[] = [
  { title: 'ID', cell: ({ id }) => shortId(id) },
  { title: 'STATUS', cell: ({ status }) => status },
  { title: 'BID', cell: ({ bestBidPrice }) => drawPrice(bestBidPrice), isFigure: true },
  { title: 'ASK', cell: ({ bestAskPrice }) => drawPrice(bestAskPrice), isFigure: true },
  { title: 'VOLUME', cell: ({ volume }) => drawAmount(volume), isFigure: true },
  { title: 'EXPIRES (UTC)', cell: ({ expiration }) => drawTime(expiration) },
  { title: 'QUESTION', cell: ({ question }) => plain(question) },
];

export const MARKETS: CommandSpec = {
  name: 'markets',
  text: 'list markets, open ones by default',
  options: [
    option('--status <status>', 'only markets with this status').choices(STATUSES),
    option('--kind <kind>', 'only markets of this kind').choices(KINDS),
    option('--search <words>', 'only markets whose question contains all of these words'),
    option('--event <event>', 'only the outcomes of this event'),
    option('--all', 'include closed markets'),
  ],
  run: listMarkets,
  commands: [
    command(
      'create <question>',
      'create a market in the sandbox',
      createMarket,
      option('--expires <duration>', 'time from now until it closes', '7d'),
      option('--category <category>', 'category id, as listed by `presage admin categories`'),
      option('--description <text>', 'how it will be resolved'),
    ),
  ],
};

async function listMarkets({ context, options }: Call<ListOptions>): Promise<void> {
  const { search, kind, all } = options;
  const status = options.status ?? (all ? undefined : 'open');
  const query = definedOnly({ status, kind, search });
  const { signal } = context;
  const list = options.event
    ? await listOutcomes(context, options.event, query)
    : await context.reader.listMarkets(query, { signal });
  context.output.showTable(list, { columns: COLUMNS, rows: list.markets, empty: 'no markets found' });
}

/** Reads all pages: the service's first list ends with the newest closed markets and may lack an event's older outcomes. */
async function listOutcomes(context: Context, text: string, { kind, ...query }: MarketsQuery): Promise<MarketList> {
  const { id } = await findEvent(context, text);
  const found = kind === 'quick' ? [] : await listStandardMarkets(context, query);
  const markets = found.filter(({ event }) => event?.id === id);
  return { markets, count: markets.length, nextCursor: null };
}

async function createMarket({ context, args: [question = ''], options }: Call<CreateOptions>): Promise<void> {
  const { expires, ...others } = options;
  const params = { question, expiresIn: parseDuration(expires), ...others };
  const sandbox = await context.onlySandbox('Operators create markets there with `presage admin markets create`.');
  const market = await sandbox.createMarket(params, { signal: context.signal });
  context.output.showFacts(market, {
    market: market.id,
    question: plain(market.question),
    contract: market.contractAddress,
    expires: `${drawTime(market.expiration)} UTC`,
  });
}
