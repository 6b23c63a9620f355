// Which web pages may speak to the chain: those served from this machine, so that no site on the internet can drive it.

const LOOPBACK_NAMES = new Set(['localhost', '127.0.0.1', '[::1]']);

/** A request without an origin does not come from a web page. */
export function isLoopbackOrigin(origin: string | undefined): boolean {
  if (origin === undefined) return true;
  try {
    const { hostname } = new URL(origin);
    return LOOPBACK_NAMES.has(hostname) || hostname.endsWith('.localhost');
  } catch {
    return false;
  }
}
