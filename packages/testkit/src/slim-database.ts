// Drops the template databases of a running server: three of five files of a data folder.
import postgres from 'postgres';

/**
 * Each copy of the folder would have them. A file system that searches recently removed files for free room (ext4)
 * takes longer for each file, the more there are.
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
