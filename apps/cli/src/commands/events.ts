// `presage events`, `event` and `convert`: questions with several outcomes, and the conversion of NO shares of several outcomes into money.
import type { EventOutcome, MarketEvent, MarketStatus } from '@presage/sdk';
import { type Call, type CommandSpec, command, option } from '../command-spec.ts';
import { drawTime, parseDuration } from '../durations.ts';
import { UsageError } from '../exit-codes.ts';
import { findEvent, listAllEvents, shortId } from '../find-market.ts';
import { plain } from '../output.ts';
import { type Column, drawTable } from '../table.ts';
import { confirm, definedOnly, drawAmount, drawPrice } from '../values.ts';
import { STATUSES } from './markets.ts';

interface ListOptions {
  readonly status?: MarketStatus;
  readonly search?: string;
  readonly all?: true;
}

interface CreateOptions {
  readonly expires: string;
  readonly category?: string;
  readonly description?: string;
}

const EVENT_COLUMNS: readonly Column<MarketEvent>[] = [
  { title: 'ID', cell: ({ id }) => shortId(id) },
  { title: 'STATUS', cell: ({ status }) => status },
  { title: 'OUTCOMES', cell: ({ outcomes }) => String(outcomes.length), isFigure: true },
  { title: 'MOST LIKELY', cell: ({ outcomes }) => drawFavourite(outcomes) },
  { title: 'VOLUME', cell: ({ totalVolume }) => drawAmount(totalVolume), isFigure: true },
  { title: 'EXPIRES (UTC)', cell: ({ expiration }) => drawTime(expiration) },
  { title: 'QUESTION', cell: ({ question }) => plain(question) },
];

const OUTCOME_COLUMNS: readonly Column<EventOutcome>[] = [
  { title: '#', cell: ({ index }) => String(index), isFigure: true },
  { title: 'OUTCOME', cell: ({ name }) => plain(name) },
  { title: 'CHANCE', cell: ({ chance }) => drawChance(chance), isFigure: true },
  { title: 'BID', cell: ({ bestBidPrice }) => drawPrice(bestBidPrice), isFigure: true },
  { title: 'ASK', cell: ({ bestAskPrice }) => drawPrice(bestAskPrice), isFigure: true },
  { title: 'MARKET', cell: ({ marketId }) => shortId(marketId) },
];

export const EVENTS: readonly CommandSpec[] = [
  {
    name: 'events',
    text: 'list events (questions with several outcomes), open ones by default',
    options: [
      option('--status <status>', 'only events with this status').choices(STATUSES),
      option('--search <words>', 'only events whose question or outcomes contain all of these words'),
      option('--all', 'include closed events'),
    ],
    run: listEvents,
    commands: [
      command(
        'create <question> <outcomes...>',
        'create an event in the sandbox; each further word or quoted text is an outcome',
        createEvent,
        option('--expires <duration>', 'time from now until it closes', '7d'),
        option('--category <category>', 'category id, as listed by `presage admin categories`'),
        option('--description <text>', 'how it will be resolved'),
      ),
    ],
  },
  command('event <event>', 'show an event and its outcomes, each of which is a market', showEvent),
  command(
    'convert <event> <amount> <outcomes...>',
    'convert NO of several outcomes (numbers or names) into stablecoin and YES of the others, without gas',
    convert,
  ),
];

async function listEvents({ context, options }: Call<ListOptions>): Promise<void> {
  const { search, all } = options;
  const status = options.status ?? (all ? undefined : 'open');
  const events = await listAllEvents(context, definedOnly({ status, search }));
  const list = { events, count: events.length, next: null };
  context.output.showTable(list, { columns: EVENT_COLUMNS, rows: events, empty: 'no events found' });
}

async function createEvent({
  context,
  args: [question = '', ...outcomes],
  options,
}: Call<CreateOptions>): Promise<void> {
  const { expires, ...others } = options;
  const params = { question, outcomes, expiresIn: parseDuration(expires), ...others };
  const sandbox = await context.onlySandbox('Operators create events there with POST /admin/v1/events.');
  const event = await sandbox.createEvent(params, { signal: context.signal });
  context.output.show(event, () => drawEvent(event, context));
}

async function showEvent({ context, args: [text = ''] }: Call): Promise<void> {
  const event = await findEvent(context, text);
  context.output.show(event, () => drawEvent(event, context));
}

function drawEvent(event: MarketEvent, { output: { colors } }: Call['context']): string {
  const state = event.status === 'resolved' ? drawWinner(event) : event.status;
  const facts = `${event.id}  ${state}  closes ${drawTime(event.expiration)} UTC  volume ${drawAmount(event.totalVolume)}`;
  const table = { columns: OUTCOME_COLUMNS, rows: event.outcomes, empty: 'no outcome is listed yet' };
  return `${plain(event.question)}\n${colors.dim(facts)}\n\n${drawTable(table, colors)}`;
}

function drawWinner({ outcomes, winningIndex }: MarketEvent): string {
  return `${plain(outcomes.find(({ index }) => index === winningIndex)?.name ?? '')} won`;
}

async function convert({ context, args: [text = '', amount = '', ...named] }: Call): Promise<void> {
  const event = await findEvent(context, text);
  const indexes = named.map((name) => pickOutcome(event, name).index);
  const trader = await context.trader();
  const sent = await trader.convertPositions(event.id, { indexes, amount }, { signal: context.signal });
  const txHash = await confirm(context, 'conversion', sent);
  const others = event.outcomes.filter(({ index }) => !indexes.includes(index)).map(({ name }) => plain(name));
  context.output.showFacts(
    { eventId: event.id, indexes, amount, txHash },
    {
      converted: `${amount} NO of ${indexes.length} outcomes`,
      'YES of': others.join(', ') || '-',
      transaction: txHash,
    },
  );
}

/** Finds an outcome by its number, its name, or words that fit only one name. */
function pickOutcome({ outcomes }: MarketEvent, text: string): EventOutcome {
  const lower = text.toLowerCase();
  const exact = outcomes.filter(({ index, name }) => String(index) === text || name.toLowerCase() === lower);
  const fitting = exact.length > 0 ? exact : outcomes.filter(({ name }) => name.toLowerCase().includes(lower));
  const [only, another] = fitting;
  if (only !== undefined && another === undefined) return only;
  throw new UsageError(
    `${only === undefined ? 'no outcome fits' : 'several outcomes fit'} "${text}"`,
    'Give its number or its name, as `presage event` lists them.',
  );
}

function drawFavourite(outcomes: readonly EventOutcome[]): string {
  const [first] = outcomes.toSorted((a, b) => Number(b.chance ?? -1) - Number(a.chance ?? -1));
  return first === undefined || first.chance === null ? '-' : `${plain(first.name)} ${drawChance(first.chance)}`;
}

function drawChance(chance: EventOutcome['chance']): string {
  return chance === null ? '-' : `${(Number(chance) / 10_000).toFixed(1)}%`;
}
