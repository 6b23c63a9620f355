// What stands in a journal is nobody else's on the machine.
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, it } from 'vitest';
import { FileJournal } from '../src/index.ts';
import { record, temporaryDir } from './journal-contents.ts';

it.skipIf(process.platform === 'win32')('its folders and files can be read by their owner alone', async () => {
  const dataDir = join(await temporaryDir(), 'data');
  const dir = join(dataDir, 'journal');
  const journal = await FileJournal.open({ dir, partition: 'private' });
  await journal.append([record('a record')], 1_000);
  await journal.close();
  const modeOf = async (path: string) => (await stat(path)).mode & 0o777;
  for (const folder of [dataDir, dir]) expect((await modeOf(folder)) & 0o066, folder).toBe(0);
  const names = await readdir(dir);
  expect(names.length).toBeGreaterThan(0);
  for (const name of names) expect((await modeOf(join(dir, name))) & 0o077, name).toBe(0);
});
