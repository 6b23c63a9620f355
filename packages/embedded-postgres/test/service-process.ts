// A stand-in for the service as a process of its own: opens the database, reports it, then waits to be killed.
import { EmbeddedPostgres } from '../src/embedded-postgres.ts';

const dataDir = process.argv[2];
if (dataDir === undefined) throw new Error('usage: service-process.ts <data folder>');

process.once('SIGTERM', () => void database.close().then(() => process.exit(0)));
const database = await EmbeddedPostgres.open({ dataDir });
process.stdout.write(`${JSON.stringify({ url: database.url })}\n`);
setInterval(() => undefined, 60_000);
