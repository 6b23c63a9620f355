// `presage backup` and `presage restore`: the data of a service to another folder while it runs, and back into a new one.
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Act, Call } from '../act.ts';
import { restoreBackup } from '../backup/restore-backup.ts';
import { type CopiedJournal, takeBackup } from '../backup/take-backup.ts';
import type { Context } from '../context.ts';
import type { DataDirOption } from '../journal/journal-dir.ts';
import { type Column, drawTable } from '../table.ts';
import { dataDirOption } from './journal.ts';

const COLUMNS: readonly Column<CopiedJournal>[] = [
  { title: 'JOURNAL', cell: ({ journal }) => journal },
  { title: 'RECORDS', cell: ({ records }) => String(records), isFigure: true },
  { title: 'NEW', cell: ({ added }) => String(added), isFigure: true },
  { title: 'HEAD', cell: ({ head }) => head.slice(0, 16) },
];

export function addBackup(program: Command, act: Act): void {
  program
    .command('backup <folder>')
    .description(
      'copy the data of a service, running or not, to a folder; what the folder has already is not copied again',
    )
    .addOption(dataDirOption())
    .action(act<DataDirOption>(backup));
  program
    .command('restore <folder>')
    .description('put a backup into a new data directory, and check it')
    .addOption(dataDirOption())
    .action(act<DataDirOption>(restore));
}

async function backup({ context, args: [folder], options }: Call<DataDirOption>): Promise<void> {
  show(context, await takeBackup(rootOf(options, context.env), resolve(folder!)));
}

async function restore({ context, args: [folder], options }: Call<DataDirOption>): Promise<void> {
  show(context, await restoreBackup(resolve(folder!), rootOf(options, context.env)));
}

function show({ output }: Context, rows: readonly CopiedJournal[]): void {
  output.show({ journals: rows }, () => drawTable({ columns: COLUMNS, rows, empty: 'Nothing.' }, output.colors));
}

function rootOf({ dataDir }: DataDirOption, env: Readonly<Record<string, string | undefined>>): string {
  return resolve(dataDir ?? (env.PRESAGE_DATA_DIR || './data'));
}
