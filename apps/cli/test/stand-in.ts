// A service that answers as a test says, on a free port of this machine, and commands typed against it.
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { portOf } from '@presage/runtime/node';
import { runCommand } from '../src/run-command.ts';

export async function openStandIn(answer: RequestListener): Promise<{ readonly url: string; close(): void }> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${portOf(server)}`, close };
}

/** Everything that the command said, on stdout and stderr. */
export async function typeAt(url: string, args: readonly string[], settings: Readonly<Record<string, string>> = {}) {
  const said: string[] = [];
  const sink = { write: (text: string) => void said.push(text) };
  const code = await runCommand([...args], { env: { PRESAGE_URL: url, ...settings }, stdout: sink, stderr: sink });
  return { code, text: said.join('') };
}
