// Reads a file of markets to create, CSV with a head or a JSON array. Each market gets a key that keeps it from being created twice.
import { sha256OfLines } from '@presage/protocol';
import type { OperatorMarketParams } from '@presage/sdk/operator';
import { parseDuration, parseTime } from '../durations.ts';
import { UsageError } from '../exit-codes.ts';
import { parseWhole } from '../values.ts';
import { parseCsv } from './csv.ts';

export interface MarketLine {
  /** Line of a CSV file, or index in a JSON array; both are counted from 1. */
  readonly line: number;
  readonly params: OperatorMarketParams & { readonly key: string; readonly listAt?: number };
}

/** Longer lists must be split into several files. */
const MOST_LINES = 1_000;

type Cells = Readonly<Record<string, string>>;
interface Row {
  readonly line: number;
  readonly cells: Cells;
}

const TEXTS = ['question', 'description', 'source', 'category', 'imageUrl', 'template', 'key'] as const;
const NUMBERS = ['feeRateBps', 'makerShareBps', 'chainId'] as const;
const KNOWN: ReadonlySet<string> = new Set([...TEXTS, ...NUMBERS, 'expires', 'listAt', 'earlyResolution']);

/** Columns that are not fields of a market are values of the template. Durations count from `now`. */
export function readMarketLines(text: string, name: string, now: number, template?: string): MarketLine[] {
  const rows = /\.json$/i.test(name) ? readJson(text) : readCsv(text);
  if (rows.length === 0)
    throw new UsageError('the file has no market', 'Write one on each line, below the names of the columns.');
  if (rows.length > MOST_LINES) {
    throw new UsageError(`the file has ${rows.length} markets`, `Make several files of at most ${MOST_LINES}.`);
  }
  const lines = rows.map(({ line, cells }) => ({ line, params: toParams(line, cells, now, template) }));
  const lineOf = new Map<string, number>();
  for (const { line, params } of lines) {
    const earlier = lineOf.get(params.key);
    if (earlier !== undefined) {
      throw new UsageError(
        `line ${line} is the same as line ${earlier}`,
        'Remove it, or give both a key of their own.',
      );
    }
    lineOf.set(params.key, line);
  }
  return lines;
}

function readCsv(text: string): Row[] {
  const [head, ...records] = parseCsv(text);
  return records.map(({ line, fields }) => {
    if (fields.length !== head?.fields.length) {
      const expected = `Each line has the ${head?.fields.length} fields of the first.`;
      throw new UsageError(`line ${line} has ${fields.length} fields`, expected);
    }
    return { line, cells: Object.fromEntries(head.fields.map((name, at) => [name, fields[at] ?? ''])) };
  });
}

function readJson(text: string): Row[] {
  const list = parseArray(text);
  return list.map((entry, index) => {
    if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) {
      throw new UsageError(`entry ${index + 1} is not an object`, 'Write an array of objects.');
    }
    // Null counts as absent, as in requests.
    const given = Object.entries(entry).filter(([, value]) => value !== null);
    const cells = given.map(([name, value]) => [name, String(value)]);
    return { line: index + 1, cells: Object.fromEntries(cells) };
  });
}

function parseArray(text: string): unknown[] {
  try {
    const list: unknown = JSON.parse(text);
    if (Array.isArray(list)) return list;
  } catch (error) {
    throw new UsageError(`the file is not JSON: ${error instanceof Error ? error.message : error}`);
  }
  throw new UsageError('the file is not a list', 'Write an array of objects.');
}

function toParams(line: number, cells: Cells, now: number, template: string | undefined): MarketLine['params'] {
  // An empty cell counts as absent.
  const given = Object.entries(cells).filter(([, value]) => value !== '');
  const cell = new Map(template === undefined ? given : [['template', template], ...given]);
  const named = TEXTS.flatMap((name) => (cell.has(name) ? [[name, cell.get(name)] as const] : []));
  const numbers = NUMBERS.flatMap((name) => {
    const text = cell.get(name);
    return text === undefined ? [] : [[name, at(line, () => parseWhole(name, text))] as const];
  });
  const values = given.filter(([name]) => !KNOWN.has(name));
  if (values.length > 0 && !cell.has('template')) {
    const known = [...KNOWN].join(', ');
    throw new UsageError(`line ${line}: unknown column ${values[0]?.[0]}`, `Use ${known}, or name a template.`);
  }
  const time = (name: string) => {
    const text = cell.get(name);
    return text === undefined ? undefined : at(line, () => toTime(name, text, now));
  };
  const [expiration, listAt] = [time('expires'), time('listAt')];
  return {
    // Without a given key, the key is a hash of the content, so the same file can be run again after an interruption.
    key: `bulk:${sha256OfLines([...cell].map(([name, value]) => JSON.stringify([name, value]))).slice(2, 42)}`,
    ...Object.fromEntries([...named, ...numbers]),
    ...(values.length > 0 && { values: Object.fromEntries(values) }),
    ...(expiration !== undefined && { expiration }),
    ...(listAt !== undefined && { listAt }),
    ...(at(line, () => isTrue(cell.get('earlyResolution') ?? 'false')) && { earlyResolution: true }),
  };
}

/** `30d`, Unix seconds, or a time such as 2027-01-31T18:00:00Z. */
function toTime(name: string, text: string, now: number): number {
  return /^\d{10}$|^\d{4}-/.test(text) ? parseTime(name, text) : now + parseDuration(text);
}

/** Ignores case: spreadsheets write TRUE and FALSE. */
function isTrue(text: string): boolean {
  if (/^(true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  throw new UsageError(`earlyResolution: "${text}" is neither true nor false`);
}

function at<T>(line: number, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(`line ${line}: ${error.message}`, error.remedy);
  }
}
