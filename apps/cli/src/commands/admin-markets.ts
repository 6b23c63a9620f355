// `presage admin markets` and `presage admin categories`: creating, editing and stopping markets.
import { keysOf } from '@presage/protocol';
import type { Category, Market } from '@presage/sdk';
import type { ActOptions, MarketTextParams } from '@presage/sdk/operator';
import { type Call, type CommandSpec, command, option, REASON, type Reasoned, required } from '../command-spec.ts';
import { drawTime, parseDuration } from '../durations.ts';
import { findMarket, shortId } from '../find-market.ts';
import { openOperator } from '../operator-access.ts';
import { plain } from '../output.ts';
import type { Column } from '../table.ts';
import { chainOf, definedOnly, parseWhole } from '../values.ts';
import { BULK, DRAFT } from './admin-bulk.ts';

interface Texts extends Reasoned {
  readonly question?: string;
  readonly description?: string;
  readonly source?: string;
  readonly category?: string;
  readonly image?: string;
}

interface CreateOptions extends Texts {
  readonly expires: string;
  readonly earlyResolution?: boolean;
  readonly chain?: string;
  readonly fee?: string;
  readonly makerShare?: string;
  readonly at?: string;
  readonly draft?: boolean;
}

const CATEGORY_COLUMNS: readonly Column<Category>[] = [
  { title: 'ID', cell: ({ id }) => id },
  { title: 'NAME', cell: ({ name }) => plain(name) },
];

const TEXTS = [
  option('--description <text>', 'how it is resolved'),
  option('--source <text>', 'source of the answer'),
  option('--category <id>', 'category id, as listed by `presage admin categories`'),
  option('--image <url>', 'https URL of a picture'),
  REASON,
];

const STOPS: Readonly<Record<Stop, string>> = {
  feature: 'show the market before all others',
  unfeature: 'show the market in its usual place again',
  pause: 'refuse new orders in the market; cancels are still accepted',
  resume: 'accept orders in the market again',
  close: 'close the market permanently, before its expiration',
  void: 'void the market if its contract allows it: each share pays half',
};

export const ADMIN_MARKETS: CommandSpec = {
  name: 'markets',
  text: 'create, edit, feature, pause, close and void markets',
  commands: [
    command(
      'create <question>',
      'create a market on chain',
      createMarket,
      ...TEXTS,
      required('--expires <duration>', 'time from now until it closes: 30d, 12h'),
      option('--early-resolution', 'allow a proposal before it expires; trading stops with the proposal'),
      option('--chain <id>', 'chain id (the first chain)'),
      option('--fee <bps>', 'taker fee in hundredths of a percent, 0 to 700 (that of the category)'),
      option(
        '--maker-share <bps>',
        'part of the fee that goes to the maker, in hundredths of a percent, 0 to 10000 (0)',
      ),
      option('--at <duration>', 'time from now until it is created: 12h; hidden until then'),
      DRAFT,
    ),
    BULK,
    command(
      'edit <market>',
      'change the texts of a market until its first trade, its category and picture at any time',
      editMarket,
      option('--question <text>', 'its question'),
      ...TEXTS,
    ),
    ...keysOf(STOPS).map((stop) =>
      command(`${stop} <market>`, STOPS[stop], (call: Call<Reasoned>) => stopMarket(call, stop), REASON),
    ),
  ],
};

export const CATEGORIES: CommandSpec = {
  name: 'categories',
  text: 'list the categories of markets',
  run: listCategories,
  commands: [
    command('define <id> <name>', 'define or rename a category', defineCategory, REASON),
    command('remove <id>', 'remove a category; its markets become general', removeCategory),
  ],
};

function toTexts({ image, question, description, source, category }: Texts): MarketTextParams {
  return definedOnly({ question, description, source, category, imageUrl: image });
}

async function createMarket({ context, args: [question = ''], options }: Call<CreateOptions>): Promise<void> {
  const { now } = await context.reader.getTime({ signal: context.signal });
  const operator = await openOperator(context);
  const expiration = now + parseDuration(options.expires);
  const { earlyResolution = false, draft = false } = options;
  const terms = { question, expiration, earlyResolution, ...(draft && { draft }), ...feesOf(options) };
  const params = { ...toTexts(options), ...terms, ...chainOf(options) };
  const act = { reason: options.reason, signal: context.signal };
  if (options.at !== undefined) {
    const scheduled = await operator.scheduleMarket({ ...params, listAt: now + parseDuration(options.at) }, act);
    const { scheduleId, listAt } = scheduled;
    context.output.showFacts(scheduled, { schedule: scheduleId, created: `${drawTime(listAt)} UTC` });
    return;
  }
  const created = await operator.createMarket(params, act);
  if (!created.listed) context.output.note('the chain is slow: the market is listed when its block is confirmed');
  context.output.showFacts(created, { market: created.marketId, expires: `${drawTime(params.expiration)} UTC` });
}

function feesOf({ fee, makerShare }: Pick<CreateOptions, 'fee' | 'makerShare'>) {
  return definedOnly({
    feeRateBps: fee === undefined ? undefined : parseWhole('--fee', fee),
    makerShareBps: makerShare === undefined ? undefined : parseWhole('--maker-share', makerShare),
  });
}

async function editMarket({ context, args: [text = ''], options }: Call<Texts>): Promise<void> {
  const { id } = await findMarket(context, text);
  const operator = await openOperator(context);
  const market = await operator.editMarket(id, toTexts(options), { reason: options.reason, signal: context.signal });
  context.output.show(market, () => drawMarket(market));
}

type Stop = 'feature' | 'unfeature' | 'pause' | 'resume' | 'close' | 'void';

async function stopMarket({ context, args: [text = ''], options }: Call<Reasoned>, stop: Stop): Promise<void> {
  const { id } = await findMarket(context, text);
  const operator = await openOperator(context);
  const act: ActOptions = { reason: options.reason, signal: context.signal };
  if (stop === 'void') {
    const answer = await operator.voidMarket(id, act);
    context.output.show(answer, () => `${id} is being voided`);
    return;
  }
  const calls: Readonly<Record<Exclude<Stop, 'void'>, () => Promise<Market>>> = {
    feature: () => operator.featureMarket(id, true, act),
    unfeature: () => operator.featureMarket(id, false, act),
    pause: () => operator.pauseMarket(id, true, act),
    resume: () => operator.pauseMarket(id, false, act),
    close: () => operator.closeMarket(id, act),
  };
  const market = await calls[stop]();
  context.output.show(market, () => drawMarket(market));
}

function drawMarket({ id, question, category, status, featured, paused, earlyResolution }: Market): string {
  const told = [status, category, featured && 'featured', paused && 'paused', earlyResolution && 'early resolution'];
  const marks = told.filter(Boolean).join(', ');
  return `${shortId(id)}  ${plain(question)} (${marks})`;
}

async function listCategories({ context }: Call): Promise<void> {
  const list = await context.reader.listCategories({ signal: context.signal });
  context.output.showTable(list, { columns: CATEGORY_COLUMNS, rows: list.categories, empty: 'no categories' });
}

async function defineCategory({ context, args: [id = '', name = ''], options }: Call<Reasoned>): Promise<void> {
  const operator = await openOperator(context);
  const list = await operator.defineCategory(id, name, { reason: options.reason, signal: context.signal });
  context.output.show(list, () => `${plain(id)} is ${plain(name)}`);
}

async function removeCategory({ context, args: [id = ''] }: Call): Promise<void> {
  const list = await (await openOperator(context)).removeCategory(id, { signal: context.signal });
  context.output.show(list, () => `${plain(id)} is removed`);
}
