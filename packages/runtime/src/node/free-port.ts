// Ports of this machine: a free one, and the one on which a server listens.
import { randomInt } from 'node:crypto';
import { type AddressInfo, createServer } from 'node:net';

/**
 * Below the ports that systems assign themselves (from 32768 on Linux): one of those could be taken by any connection
 * before the caller binds it, seconds later.
 */
const [FIRST, END] = [20_000, 32_000];
const TRIES = 100;

/** The port is free at the time of the call; another process that asks for this very port may still take it. */
export async function findFreePort(): Promise<number> {
  for (let tried = 0; tried < TRIES; tried++) {
    const port = randomInt(FIRST, END);
    if (await isFree(port)) return port;
  }
  throw new Error(`no free port was found between ${FIRST} and ${END}`);
}

/** The port of a listening server, even if the system has chosen it. */
export function portOf(server: { address(): AddressInfo | string | null }): number {
  const address = server.address();
  if (typeof address === 'string' || address === null) throw new Error('the server has no port');
  return address.port;
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(false);
      else reject(error);
    });
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
