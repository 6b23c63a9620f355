// Allows requests from web pages of this machine and from wallet extensions only, so that no website can control the
// chain.

const EXTENSION = /^(chrome|moz|safari-web)-extension:$/;
const LOOPBACK_NAMES = new Set(['localhost', '127.0.0.1', '[::1]']);

/** A request without an origin does not come from a web page. */
export function isLocalOrigin(origin: string | undefined): boolean {
  if (origin === undefined) return true;
  try {
    const { hostname, protocol } = new URL(origin);
    return EXTENSION.test(protocol) || LOOPBACK_NAMES.has(hostname) || hostname.endsWith('.localhost');
  } catch {
    return false;
  }
}
