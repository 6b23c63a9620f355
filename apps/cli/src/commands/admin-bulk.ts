// `presage admin markets bulk`, `presage admin templates`, `presage admin schedule`: markets from a file, from a template or at a later time.
import { readFile } from 'node:fs/promises';
import type { MarketTemplate, ScheduledMarket } from '@presage/sdk';
import { readMarketLines } from '../bulk/market-lines.ts';
import { type LineReport, runBulk } from '../bulk/run-bulk.ts';
import { type Call, type CommandSpec, command, option, REASON, type Reasoned } from '../command-spec.ts';
import { drawTime } from '../durations.ts';
import { UnsoundError, UsageError } from '../exit-codes.ts';
import { openOperator } from '../operator-access.ts';
import { plain } from '../output.ts';
import type { Column } from '../table.ts';

export const DRAFT = option('--draft', 'create it only after another operator has confirmed it');

const REPORTS: readonly Column<LineReport>[] = [
  { title: 'LINE', cell: ({ line }) => String(line), isFigure: true },
  { title: 'OUTCOME', cell: ({ outcome }) => outcome },
  { title: 'ID', cell: ({ id }) => plain(id).slice(0, 30) },
  { title: 'QUESTION', cell: ({ question }) => plain(question).slice(0, 50) },
  { title: 'WHY', cell: ({ detail }) => plain(detail) },
];
const TEMPLATE_COLUMNS: readonly Column<MarketTemplate>[] = [
  { title: 'ID', cell: ({ id }) => id },
  { title: 'QUESTION', cell: ({ question }) => plain(question).slice(0, 60) },
  { title: 'EXPIRES', cell: ({ expires }) => (typeof expires === 'string' ? plain(expires) : `after ${expires} s`) },
  { title: 'FEE', cell: ({ feeRateBps }) => (feeRateBps === undefined ? '-' : String(feeRateBps)), isFigure: true },
];
const SCHEDULE_COLUMNS: readonly Column<ScheduledMarket>[] = [
  { title: 'ID', cell: ({ scheduleId }) => plain(scheduleId) },
  { title: 'CREATED (UTC)', cell: ({ listAt }) => drawTime(listAt) },
  { title: 'QUESTION', cell: ({ question }) => plain(question).slice(0, 50) },
];

export const BULK: CommandSpec = {
  ...command(
    'bulk <file>',
    'create the markets of a CSV or JSON file; run it again after an interruption to continue',
    createAll,
    option('--dry-run', 'check every line without creating anything'),
    option('--template <id>', 'template for lines that name none'),
    DRAFT,
    REASON,
  ),
  helpAfter: `
Columns, or fields of each object: question, description, source, category, imageUrl, expires and listAt
(30d, 2027-01-31T18:00:00Z), feeRateBps, makerShareBps, earlyResolution, chainId, template, key. Other
columns are values of the template. A line without a key uses its content as the key, so it is created once.`,
};

export const TEMPLATES: CommandSpec = {
  name: 'templates',
  text: 'list market templates, for `markets bulk`',
  run: listTemplates,
  commands: [
    command('define <id> <file>', 'define or change a template from a JSON file', defineTemplate, REASON),
    command('remove <id>', 'remove a template', removeTemplate),
  ],
};

export const SCHEDULE: CommandSpec = {
  name: 'schedule',
  text: 'list scheduled markets',
  run: listSchedule,
  commands: [command('cancel <id>', 'cancel a scheduled market', cancelSchedule)],
};

interface BulkOptions extends Reasoned {
  readonly dryRun?: boolean;
  readonly template?: string;
  readonly draft?: boolean;
}

async function createAll({ context, args: [path = ''], options }: Call<BulkOptions>): Promise<void> {
  const { output } = context;
  const { now } = await context.reader.getTime({ signal: context.signal });
  const lines = readMarketLines(await readText(path), path, now, options.template);
  const operator = await openOperator(context);
  const { dryRun: isDryRun = false, draft = false, reason } = options;
  const onReport = ({ line, outcome }: LineReport) => output.note(`line ${line}: ${outcome}`);
  const reports = await runBulk(lines, { operator, isDryRun, draft, reason, onReport });
  output.showTable({ lines: reports, count: reports.length }, { columns: REPORTS, rows: reports, empty: 'no lines' });
  const refused = reports.filter(({ outcome }) => outcome === 'refused').length;
  if (refused > 0) throw new UnsoundError(`${refused} of ${reports.length} lines were refused`);
}

async function readText(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => {
    throw new UsageError(`${path} cannot be read`, 'Name a CSV or JSON file.');
  });
}

async function listTemplates({ context }: Call): Promise<void> {
  const list = await (await openOperator(context)).listTemplates({ signal: context.signal });
  context.output.showTable(list, { columns: TEMPLATE_COLUMNS, rows: list.templates, empty: 'no templates' });
}

async function defineTemplate({ context, args: [id = '', path = ''], options }: Call<Reasoned>): Promise<void> {
  const text = await readText(path);
  const act = { reason: options.reason, signal: context.signal };
  const list = await (await openOperator(context)).defineTemplate({ ...parseTemplate(text), id }, act);
  context.output.show(list, () => `${plain(id)} is defined`);
}

/** Only parses the JSON: the service checks the fields and names a wrong one. */
function parseTemplate(text: string): MarketTemplate {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(
      'the file is not JSON',
      'Write an object with question, expires and the other fields of a market.',
    );
  }
}

async function removeTemplate({ context, args: [id = ''] }: Call): Promise<void> {
  const list = await (await openOperator(context)).removeTemplate(id, { signal: context.signal });
  context.output.show(list, () => `${plain(id)} is removed`);
}

async function listSchedule({ context }: Call): Promise<void> {
  const list = await (await openOperator(context)).listSchedule({ signal: context.signal });
  context.output.showTable(list, { columns: SCHEDULE_COLUMNS, rows: list.scheduled, empty: 'nothing is scheduled' });
}

async function cancelSchedule({ context, args: [id = ''] }: Call): Promise<void> {
  const list = await (await openOperator(context)).cancelSchedule(id, { signal: context.signal });
  context.output.show(list, () => `${plain(id)} is cancelled: it is not created`);
}
