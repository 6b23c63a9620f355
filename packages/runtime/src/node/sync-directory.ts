// Makes creations, renames and removals in a directory durable.
import { open } from 'node:fs/promises';

export async function syncDirectory(dir: string): Promise<void> {
  // NTFS journals its directories by itself, and Windows does not allow flushing one.
  if (process.platform === 'win32') return;
  const handle = await open(dir, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
