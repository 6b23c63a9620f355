// Takes out of a running database what only further databases would be made from: three of five files of a data folder.
import postgres from 'postgres';

/**
 * Each copy of the folder would have them, and a file system that finds room for a new file by looking at those removed a moment ago
 * (ext4) takes longer for each the more there are.
 */
export async function dropTemplateDatabases(url: string): Promise<void> {
  const sql = postgres(url, { max: 1 });
  try {
    await sql`update pg_database set datistemplate = false`;
    await sql`drop database template0`;
    await sql`drop database template1`;
  } finally {
    await sql.end();
  }
}
