// Signs requests that a lane passes on to its service: names the client's address, and proves that the sender is a lane.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { ProxySettings } from '../config/proxy-settings.ts';
import { ClientAddresses, type RequestOrigin } from './request-origin.ts';

const HEADER = 'presage-lane';
const BY_PROXY = 'proxy';
const DIRECT = 'direct';

export class LanePass {
  readonly #word: Buffer;
  readonly #addresses: ClientAddresses;

  /** Derives a word from the secret, which itself is never sent. */
  constructor(secret: string, proxies: ProxySettings) {
    this.#word = Buffer.from(createHmac('sha256', secret).update('passes requests on').digest('hex'));
    this.#addresses = new ClientAddresses(proxies);
  }

  /** The header for a request that this lane passes on; replaces the client's own value. */
  readonly sign = (request: IncomingMessage): Record<string, string> => {
    const { address, isForwarded } = this.#addresses.originOf(request);
    return { [HEADER]: `${this.#word} ${isForwarded ? BY_PROXY : DIRECT} ${address}` };
  };

  /** The lane's client; undefined unless a lane has signed the request. */
  readonly read = (headers: IncomingHttpHeaders): RequestOrigin | undefined => {
    const [word = '', how, address] = String(headers[HEADER] ?? '').split(' ');
    const given = Buffer.from(word);
    if (address === undefined || given.length !== this.#word.length || !timingSafeEqual(given, this.#word))
      return undefined;
    return { address, isForwarded: how === BY_PROXY };
  };
}
