// `presage admin markets` and `presage admin categories`: making, wording and stopping markets.
import type { Category, Market } from '@presage/sdk';
import type { ActOptions, MarketTextParams } from '@presage/sdk/operator';
import type { Command } from 'commander';
import type { Act, Call } from '../act.ts';
import { drawTime, parseDuration } from '../durations.ts';
import { findMarket } from '../find-market.ts';
import { openOperator } from '../operator-access.ts';
import { plain } from '../output.ts';
import { type Column, drawFacts, drawTable } from '../table.ts';
import { parseWhole } from '../whole-number.ts';

interface Reasoned {
  readonly reason?: string;
}

interface Texts extends Reasoned {
  readonly question?: string;
  readonly description?: string;
  readonly source?: string;
  readonly category?: string;
  readonly image?: string;
}

interface CreateOptions extends Texts {
  readonly expires: string;
  readonly chain?: string;
}

const REASON = ['--reason <text>', 'why, for the audit log'] as const;
const CATEGORIES: readonly Column<Category>[] = [
  { title: 'ID', cell: ({ id }) => id },
  { title: 'NAME', cell: ({ name }) => plain(name) },
];

export function addAdminMarkets(admin: Command, act: Act): void {
  const markets = admin.command('markets').description('create, edit, feature, pause, close and void markets');
  withTexts(markets.command('create <question>').description('create a market on chain'))
    .requiredOption('--expires <duration>', 'when it closes, from now: 30d, 12h')
    .option('--chain <id>', 'on which chain (the first)')
    .action(act<CreateOptions>(createMarket));
  withTexts(
    markets
      .command('edit <market>')
      .description('change its texts until the first trade, its category and picture at any time')
      .option('--question <text>', 'what it asks'),
  ).action(act<Texts>(editMarket));
  const stops = [
    ['feature', 'show it first'],
    ['unfeature', 'show it like the others'],
    ['pause', 'take no orders in it; cancels stay open'],
    ['resume', 'take orders in it again'],
    ['close', 'end trading before the expiration, for good'],
    ['void', 'void it where the contract allows it: each share pays half'],
  ] as const;
  for (const [name, description] of stops) {
    markets
      .command(`${name} <market>`)
      .description(description)
      .option(...REASON)
      .action(act<Reasoned>((call) => stopMarket(call, name)));
  }
  addCategories(admin, act);
}

function addCategories(admin: Command, act: Act): void {
  const categories = admin.command('categories').description('the categories of markets').action(act(listCategories));
  categories
    .command('define <id> <name>')
    .description('define one, or give it another name')
    .option(...REASON)
    .action(act<Reasoned>(defineCategory));
  categories.command('remove <id>').description('remove one; its markets become general').action(act(removeCategory));
}

function withTexts(command: Command): Command {
  return command
    .option('--description <text>', 'how it is decided')
    .option('--source <text>', 'where the answer comes from')
    .option('--category <id>', 'where it belongs')
    .option('--image <url>', 'a picture, at an https address')
    .option(...REASON);
}

function toTexts({ question, description, source, category, image }: Texts): MarketTextParams {
  return {
    ...(question !== undefined && { question }),
    ...(description !== undefined && { description }),
    ...(source !== undefined && { source }),
    ...(category !== undefined && { category }),
    ...(image !== undefined && { imageUrl: image }),
  };
}

async function createMarket({ context, args: [question = ''], options }: Call<CreateOptions>): Promise<void> {
  const { now } = await context.reader.getTime({ signal: context.signal });
  const operator = await openOperator(context);
  const chain = options.chain === undefined ? {} : { chainId: parseWhole('--chain', options.chain) };
  const params = { ...toTexts(options), question, expiration: now + parseDuration(options.expires), ...chain };
  const created = await operator.createMarket(params, { reason: options.reason, signal: context.signal });
  if (!created.listed) context.output.note('the chain is slow: the market is listed when its block is confirmed');
  context.output.show(created, () =>
    drawFacts({ market: created.marketId, expires: `${drawTime(params.expiration)} UTC` }, context.output.colors),
  );
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

function drawMarket({ id, question, category, status, featured, paused }: Market): string {
  const marks = [status, category, featured && 'featured', paused && 'paused'].filter(Boolean).join(', ');
  return `${id.slice(0, 12)}  ${plain(question)} (${marks})`;
}

async function listCategories({ context }: Call<object>): Promise<void> {
  const list = await context.reader.listCategories({ signal: context.signal });
  const table = { columns: CATEGORIES, rows: list.categories, empty: 'no category' };
  context.output.show(list, () => drawTable(table, context.output.colors));
}

async function defineCategory({ context, args: [id = '', name = ''], options }: Call<Reasoned>): Promise<void> {
  const operator = await openOperator(context);
  const list = await operator.defineCategory(id, name, { reason: options.reason, signal: context.signal });
  context.output.show(list, () => `${plain(id)} is ${plain(name)}`);
}

async function removeCategory({ context, args: [id = ''] }: Call<object>): Promise<void> {
  const list = await (await openOperator(context)).removeCategory(id, { signal: context.signal });
  context.output.show(list, () => `${plain(id)} is removed`);
}
