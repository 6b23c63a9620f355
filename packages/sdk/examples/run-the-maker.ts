// Starts the sandbox's market maker, which keeps quotes on the books.
import { createSandboxClient } from '@presage/sdk';

const sandbox = createSandboxClient({ url: process.env.PRESAGE_URL ?? 'http://127.0.0.1:8080' });

export const started = await sandbox.runMaker(true);
export const stopped = await sandbox.runMaker(false);
