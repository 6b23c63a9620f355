// `presage backup` and `presage restore`: copy the data of a service to another folder while it runs, and back into a new data folder.
import { resolve } from 'node:path';
import { restoreBackup } from '../backup/restore-backup.ts';
import { type CopiedJournal, takeBackup } from '../backup/take-backup.ts';
import { type Call, command } from '../command-spec.ts';
import type { Context } from '../context.ts';
import { type DataDirOption, dataDirOf } from '../journal/journal-dir.ts';
import type { Column } from '../table.ts';
import { DATA_DIR } from './journal.ts';

const COLUMNS: readonly Column<CopiedJournal>[] = [
  { title: 'JOURNAL', cell: ({ journal }) => journal },
  { title: 'RECORDS', cell: ({ records }) => String(records), isFigure: true },
  { title: 'NEW', cell: ({ added }) => String(added), isFigure: true },
  { title: 'HEAD', cell: ({ head }) => head.slice(0, 16) },
];

export const BACKUP = [
  command(
    'backup <folder>',
    'back up the data of a service, running or not, to a folder; later runs copy only what is new',
    backup,
    DATA_DIR,
  ),
  command('restore <folder>', 'restore a backup into a new data directory and verify it', restore, DATA_DIR),
];

async function backup({ context, args: [folder], options }: Call<DataDirOption>): Promise<void> {
  show(context, await takeBackup(dataDirOf(options, context.env), resolve(folder!)));
}

async function restore({ context, args: [folder], options }: Call<DataDirOption>): Promise<void> {
  show(context, await restoreBackup(resolve(folder!), dataDirOf(options, context.env)));
}

function show({ output }: Context, rows: readonly CopiedJournal[]): void {
  output.showTable({ journals: rows }, { columns: COLUMNS, rows, empty: 'Nothing.' });
}
