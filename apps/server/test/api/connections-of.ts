// How many connections a listener has at the moment, also those that node:http has forgotten.
import { promisify } from 'node:util';
import type { HttpListener } from '../../src/api/http-listener.ts';

export function connectionsOf({ server }: Pick<HttpListener, 'server'>): Promise<number> {
  return promisify(server.getConnections.bind(server))();
}
