// Looks whether the service's port is free before anything slow is started, and which one to take instead.
import { createServer } from 'node:net';
import { StartFault } from './start-fault.ts';

const SUGGESTIONS = 20;

export async function requireFreePort(host: string, port: number): Promise<void> {
  if (!(await isTaken(host, port))) return;
  const other = await suggestPort(host, port);
  throw new StartFault(
    `Port ${port} on ${host} is taken. Stop what listens there, or start on another port:\n  PRESAGE_PORT=${other} npm start`,
  );
}

async function suggestPort(host: string, taken: number): Promise<number> {
  for (let port = taken + 1; port <= Math.min(taken + SUGGESTIONS, 65_535); port += 1) {
    if (!(await isTaken(host, port))) return port;
  }
  return 0;
}

/** Only a port in use counts: a host that is not ours or a privileged port is the service's to complain of. */
function isTaken(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'EADDRINUSE'));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(false)));
  });
}
