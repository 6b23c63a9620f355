// Finds a port of this machine on which nothing listens.
import { createServer } from 'node:net';

/** Free in the moment of asking: somebody else may take it before the caller does. */
export function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
