// The memory body against the exported suite, and what only it can show.

import { JournalCorrupt } from '@presage/journal';
import { describeJournal } from '@presage/journal/conformance';
import { expect, test } from 'vitest';
import { record } from '../../journal/test/journal-contents.ts';
import { MemoryJournal, MemoryStorage } from '../src/memory-journal.ts';

describeJournal(
  'MemoryJournal',
  async (partition) => {
    const storage = new MemoryStorage(partition);
    return {
      open: () => MemoryJournal.open({ storage }),
      takeOver: () => MemoryJournal.open({ storage, takeOver: true }),
      failNextWrite: (error) => storage.failNextWrite(error),
      destroy: async () => {},
    };
  },
  { leases: true },
);

test('a memory journal refuses to open on a damaged or shortened storage', async () => {
  const storage = new MemoryStorage('m0');
  const journal = await MemoryJournal.open({ storage });
  for (const text of ['a', 'b']) await journal.append([record(text)], 1);
  await journal.writeCheckpoint({ seq: 2, stateHash: '00'.repeat(32), body: record('') });
  await journal.close();
  const last = storage.frames.pop()!;
  const shortened = await MemoryJournal.open({ storage });
  await expect(shortened.readCheckpoint()).rejects.toThrow(JournalCorrupt);
  await shortened.close();
  storage.frames.push(last.map((byte, index) => (index === 99 ? byte ^ 1 : byte)));
  await expect(MemoryJournal.open({ storage })).rejects.toThrow(JournalCorrupt);
});
