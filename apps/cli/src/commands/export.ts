// `presage export` and `presage admin export`: trades, fills, fees, claims, positions and the audit log as CSV or JSON lines.
import { type FileHandle, open } from 'node:fs/promises';
import { EXPORTED, type ExportedDataset, type ExportOptions, exportText } from '@presage/sdk/export';
import { type Call, type CommandSpec, command, option } from '../command-spec.ts';
import type { Context } from '../context.ts';
import { parseTime } from '../durations.ts';
import { UsageError } from '../exit-codes.ts';
import { operatorAccess } from '../operator-access.ts';
import { definedOnly } from '../values.ts';

interface ExportFlags {
  readonly from?: string;
  readonly to?: string;
  readonly format: string;
  readonly out?: string;
  readonly after?: string;
  readonly address?: string;
}

const OPTIONS = [
  option('--from <time>', 'start time: 2026-01-31, 2026-01-31T12:30:00Z or Unix seconds'),
  option('--to <time>', 'end time, not included; same formats'),
  option('--format <format>', 'csv or jsonl', 'csv'),
  option('--out <file>', 'write to a file instead of stdout'),
  option('--after <cursor>', 'continue after this `cursor`, taken from the last line of an earlier export'),
] as const;

const OF_WALLETS = EXPORTED.filter((dataset) => dataset !== 'audit');

export const EXPORT: CommandSpec = command(
  'export <dataset>',
  `export the history of a wallet: ${OF_WALLETS.join(', ')}`,
  exportOwn,
  ...OPTIONS,
  option('--address <wallet>', 'export this wallet instead of your own'),
);

export const ADMIN_EXPORT: CommandSpec = command(
  'export <dataset>',
  `export the history of all wallets: ${EXPORTED.join(', ')}`,
  exportAll,
  ...OPTIONS,
  option('--address <wallet>', 'only rows of this wallet'),
);

async function exportOwn({ context, args: [name = ''], options }: Call<ExportFlags>): Promise<void> {
  const dataset = parseDataset(name, OF_WALLETS);
  if (options.address !== undefined) return save(context, options, { url: context.url, dataset });
  const { account } = await context.wallet();
  await save(context, options, { url: context.url, dataset, address: account.address });
}

async function exportAll({ context, args: [name = ''], options }: Call<ExportFlags>): Promise<void> {
  const dataset = parseDataset(name, EXPORTED);
  const { url, key } = await operatorAccess(context);
  await save(context, options, { url, dataset, operatorKey: key });
}

function parseDataset(name: string, known: readonly ExportedDataset[]): ExportedDataset {
  const dataset = known.find((each) => each === name);
  if (dataset === undefined) throw new UsageError(`"${name}" cannot be exported`, `Write one of ${known.join(', ')}.`);
  return dataset;
}

async function save(context: Context, flags: ExportFlags, source: ExportOptions): Promise<void> {
  const { from, to, format, out, after, address } = flags;
  if (format !== 'csv' && format !== 'jsonl')
    throw new UsageError(`"${format}" is not a format`, 'Write csv or jsonl.');
  const range = {
    from: from === undefined ? undefined : parseTime('--from', from),
    to: to === undefined ? undefined : parseTime('--to', to),
  };
  // Not subject to --timeout: a long export is not a hanging request.
  const text = exportText({ ...source, ...definedOnly({ ...range, after, address }), format });
  if (out === undefined) {
    for await (const part of text) await context.output.writeText(part);
    return;
  }
  let file: FileHandle | undefined;
  try {
    let bytes = 0;
    for await (const part of text) {
      // Opened only after the service answers: the file may hold an earlier export.
      file ??= await open(out, 'w');
      // Unlike `write`, `appendFile` never stops half way on a disk that is nearly full.
      await file.appendFile(part);
      bytes += Buffer.byteLength(part);
    }
    file ??= await open(out, 'w');
    context.output.note(`${out}: ${bytes} bytes`);
  } finally {
    await file?.close();
  }
}
