// Takes out of the database of a running sandbox what only further databases would be made from: three of five files of a data folder.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import postgres from 'postgres';

/**
 * Each copy of the folder would have them, and a file system that finds room for a new file by looking at those removed a moment ago
 * (ext4) takes longer for each the more there are.
 */
export async function dropTemplateDatabases(dataDir: string): Promise<void> {
  const folder = join(dataDir, 'service', 'database');
  const { password } = JSON.parse(await readFile(join(folder, 'access.json'), 'utf8')) as { password: string };
  const [, , , port] = (await readFile(join(folder, 'work', 'cluster', 'postmaster.pid'), 'utf8')).split('\n');
  const sql = postgres(`postgres://presage:${password}@127.0.0.1:${port}/presage`, { max: 1 });
  try {
    await sql`update pg_database set datistemplate = false`;
    await sql`drop database template0`;
    await sql`drop database template1`;
  } finally {
    await sql.end();
  }
}
