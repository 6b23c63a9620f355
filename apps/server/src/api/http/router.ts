// Finds the route of a request by method and path; a path segment that begins with a colon matches any value.
import { PresageError } from '@presage/protocol';

interface Routed {
  readonly method: string;
  /** Path with parameters after colons: `/api/v1/markets/:id`. */
  readonly path: string;
  /** Whether HEAD is answered, like GET without a body; true by default. */
  readonly hasHead?: boolean;
}

interface Place<R> {
  /** Child nodes by the next segment of the path. */
  readonly named: Map<string, Place<R>>;
  any: Place<R> | undefined;
  readonly routes: Map<string, { readonly route: R; readonly parameters: readonly string[] }>;
}

export interface Found<R> {
  readonly route: R;
  readonly params: Readonly<Record<string, string>>;
}

const NO_PARAMS = {};
/** Longest value of a parameter; all our ids and names are shorter. */
const LONGEST_VALUE = 200;

export class Router<R extends Routed> {
  readonly #root = newPlace<R>();
  /** Nodes of paths without parameters, which most requests use. */
  readonly #fixed = new Map<string, Place<R>>();

  add(route: R): void {
    const parts = partsOf(route.path);
    let place = this.#root;
    for (const part of parts) place = part.startsWith(':') ? anyIn(place) : namedIn(place, part);
    const parameters = parts.filter((part) => part.startsWith(':')).map((part) => part.slice(1));
    place.routes.set(route.method, { route, parameters });
    if (route.method === 'GET' && route.hasHead !== false) place.routes.set('HEAD', { route, parameters });
    if (parameters.length === 0) this.#fixed.set(route.path, place);
  }

  /** Finds a route; undefined if none matches. Throws if the path cannot be decoded. */
  find(method: string, path: string): Found<R> | undefined {
    const fixed = this.#fixed.get(path)?.routes.get(method);
    if (fixed !== undefined) return { route: fixed.route, params: NO_PARAMS };
    const values: string[] = [];
    const found = this.#walk(path, values, method)?.routes.get(method);
    if (found === undefined) return undefined;
    const { route, parameters } = found;
    return { route, params: Object.fromEntries(parameters.map((name, index) => [name, values[index] ?? ''])) };
  }

  /** Methods that have a route at this path. */
  methodsAt(path: string): string[] {
    return [...(this.#walk(path, [])?.routes.keys() ?? [])];
  }

  #walk(path: string, values: string[], method?: string): Place<R> | undefined {
    return walk(this.#root, partsOf(path).map(decode), { values, method });
  }
}

function newPlace<R>(): Place<R> {
  return { named: new Map(), any: undefined, routes: new Map() };
}

function namedIn<R>(place: Place<R>, part: string): Place<R> {
  const next = place.named.get(part) ?? newPlace<R>();
  place.named.set(part, next);
  return next;
}

function anyIn<R>(place: Place<R>): Place<R> {
  place.any ??= newPlace<R>();
  return place.any;
}

/** Splits a path into segments; ignores a slash at the end. */
function partsOf(path: string): string[] {
  const parts = path.split('/').slice(1);
  if (parts.at(-1) === '') parts.pop();
  return parts;
}

function decode(part: string): string {
  if (!part.includes('%')) return part;
  try {
    return decodeURIComponent(part);
  } catch {
    throw new PresageError('invalid_field', {
      field: 'path',
      expected: 'percent signs only before two hex digits of UTF-8',
    });
  }
}

interface Walk {
  /** Collects the values of parameters. */
  readonly values: string[];
  /** Method to match; if undefined, any. */
  readonly method: string | undefined;
}

/** Walks the tree. A literal segment takes precedence over a parameter if a route below it matches. */
function walk<R>(place: Place<R>, parts: readonly string[], how: Walk, at = 0): Place<R> | undefined {
  const part = parts[at];
  if (part === undefined) return isAnswered(place, how) ? place : undefined;
  const next = place.named.get(part);
  const found = next && walk(next, parts, how, at + 1);
  if (found !== undefined || place.any === undefined || part === '' || part.length > LONGEST_VALUE) return found;
  how.values.push(part);
  const behind = walk(place.any, parts, how, at + 1);
  if (behind === undefined) how.values.pop();
  return behind;
}

function isAnswered<R>({ routes }: Place<R>, { method }: Walk): boolean {
  return method === undefined ? routes.size > 0 : routes.has(method);
}
