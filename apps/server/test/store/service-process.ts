// A stand-in for the service as a process of its own: opens the database, tells about it, then waits to be killed.
import { openDatabase } from '../../src/store/open-database.ts';

const dataDir = process.argv[2];
if (dataDir === undefined) throw new Error('usage: service-process.ts <data folder>');

process.once('SIGTERM', () => void database.close().then(() => process.exit(0)));
const database = await openDatabase({ dataDir });
const [row] = await database.sql`select system_user, current_setting('cluster_name') as owner`;
process.stdout.write(`${JSON.stringify({ url: database.url, owner: row?.owner })}\n`);
setInterval(() => undefined, 60_000);
