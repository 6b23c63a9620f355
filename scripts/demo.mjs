// `npm run demo`: the sandbox with a market maker and takers, and a printed tour of it.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { run } from './run.mjs';

const pathOf = (path) => fileURLToPath(new URL(path, import.meta.url));

process.env.PRESAGE_DEMO = 'on';
const { PRESAGE_PORT = '8080' } = process.env;
await run(pathOf('../apps/sandbox/src/main.ts'));
// Started after the sandbox, which exits here if it was given arguments.
spawn(process.execPath, [pathOf('run.mjs'), pathOf('../apps/sandbox/src/tour/main.ts')], {
  stdio: ['ignore', 'inherit', 'inherit'],
  env: { ...process.env, PRESAGE_URL: `http://127.0.0.1:${PRESAGE_PORT}`, PRESAGE_PARENT_PID: String(process.pid) },
});
