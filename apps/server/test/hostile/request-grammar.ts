// Requests drawn from the published API and then spoilt: any method, any value in any place, bodies that are almost right or nothing at all.
import { gzipSync } from 'node:zlib';
import { LIMITS, stringifyJson } from '@presage/protocol';
import type { SeededRandom } from '@presage/testkit';
import { type GoodValues, malformedRequests } from '../openapi/malformed-requests.ts';
import type { PublishedOperation, Schema } from '../openapi/published-api.ts';

/** One request as it is written to a socket. */
export interface DrawnRequest {
  readonly name: string;
  readonly bytes: Buffer;
  /** The connection may be closed behind its answer: what follows would be lost. */
  readonly isLast: boolean;
}

const METHODS = ['GET', 'POST', 'DELETE', 'PUT', 'PATCH', 'OPTIONS'];
const TEXTS = [
  '',
  '0',
  '-1',
  '1e309',
  '1.5',
  'null',
  'true',
  'NaN',
  '__proto__',
  'constructor',
  '[object Object]',
  '0x',
  '0X0',
  ...[
    '9'.repeat(40),
    '9'.repeat(400),
    `0x${'f'.repeat(64)}`,
    `0x${'F'.repeat(40)}`,
    '18446744073709551616',
    "' or 1=1--",
  ],
  ...[
    '\u0000',
    '\ud800',
    '\u202e',
    '💥',
    '../../etc/passwd',
    '%00',
    '%',
    '{{7*7}}',
    '<script>',
    ' ',
    '\t\n',
    'a'.repeat(3_000),
  ],
];
const JUNK_HEADERS = [
  ...[
    'Authorization: Bearer x',
    'Authorization: Bearer a.b.c',
    `Authorization: Bearer ${'A'.repeat(4_000)}`,
    'Authorization:',
  ],
  ...[
    'Accept-Encoding: gzip, br;q=0',
    'Accept-Encoding: *;q=2',
    'Accept: text/html',
    'If-None-Match: "x", W/"y"',
    'If-None-Match: *',
  ],
  ...[
    'Range: bytes=0-1',
    'X-Forwarded-For: 1.1.1.1, ::1',
    'Forwarded: for="_x"',
    'X-HTTP-Method-Override: DELETE',
    'X-Request-Id: 1',
  ],
  ...[
    'Cookie: a=b',
    'Expect: 100-continue',
    'Content-Encoding: gzip',
    'Content-Encoding: br',
    'Upgrade: h2c',
    'Origin: null',
  ],
  ...[
    'Connection: keep-alive',
    `X-Junk: ${'j'.repeat(2_000)}`,
    'Referer: http://[',
    'Accept-Language: \u00ff',
    'TE: trailers',
  ],
];
const TYPES = [
  'application/json',
  'application/json; charset=utf-16',
  'text/plain',
  'application/x+json',
  'multipart/form-data',
  '',
];
/** They gather from everywhere and take a hundred times as long as others: once in a while is enough. */
const DEAR = new Set(['/metrics', '/api/v1/solvency', '/openapi.json', '/asyncapi.json']);
/** These have effects when they are right: of them only what must be refused is sent. */
const CONTROLS = /^\/(sandbox|admin)\//;

export class RequestGrammar {
  readonly #random: SeededRandom;
  readonly #host: string;
  readonly #good: GoodValues;
  readonly #operations: readonly PublishedOperation[];
  readonly #refused: readonly DrawnRequest[];

  constructor(
    random: SeededRandom,
    host: string,
    api: { operations: readonly PublishedOperation[]; good: GoodValues },
  ) {
    this.#random = random;
    this.#host = host;
    this.#good = api.good;
    const answered = api.operations.filter(({ contentType }) => !/event-stream|websocket/.test(contentType));
    this.#operations = answered.filter(({ path }) => !CONTROLS.test(path));
    this.#refused = answered
      .flatMap((each) => [...malformedRequests(each, api.good)])
      .map((each) => {
        const lines = Object.entries(each.headers ?? {}).map(([name, value]) => `${name}: ${value}`);
        return this.#write(each.method, each.path, lines, Buffer.from(each.text ?? ''));
      });
  }

  draw(): DrawnRequest {
    if (this.#random.chance(0.1)) return this.#random.pick(this.#refused);
    const drawn = this.#random.pick(this.#operations);
    const operation = DEAR.has(drawn.path) && this.#random.chance(0.95) ? this.#random.pick(this.#operations) : drawn;
    const method = this.#random.chance(0.03) ? this.#random.pick(METHODS) : operation.method.toUpperCase();
    const headers = Array.from({ length: this.#random.below(3) }, () => this.#random.pick(JUNK_HEADERS));
    const body = method === 'GET' && this.#random.chance(0.98) ? Buffer.alloc(0) : this.#body(operation);
    if (body.length > 0)
      headers.push(`Content-Type: ${this.#random.chance(0.9) ? TYPES[0] : this.#random.pick(TYPES)}`);
    return this.#write(method, this.#path(operation), headers, body);
  }

  /** A good value mostly, so that the request gets as far as the next thing that is wrong with it. */
  #value(name: string): string {
    if (this.#random.chance(0.6) && this.#good[name] !== undefined) return this.#good[name];
    const text = this.#random.weighted({ text: 3, number: 2, hash: 2, wallet: 2, spoilt: 1 });
    if (text === 'number') return String(this.#random.int(-10, 2_000));
    if (text === 'hash') return this.#random.hex(32);
    if (text === 'wallet') return this.#random.hex(20);
    return text === 'text' ? this.#random.pick(TEXTS) : this.#spoil(this.#good[name] ?? 'abc');
  }

  #path({ path, parameters }: PublishedOperation): string {
    const address = path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => encode(this.#value(name)));
    const query: string[] = [];
    for (const { name, in: place, required } of parameters) {
      if (place !== 'query' || !this.#random.chance(required ? 0.95 : 0.5)) continue;
      do query.push(`${name}=${encode(this.#value(name))}`);
      while (this.#random.chance(0.05));
    }
    if (this.#random.chance(0.05))
      query.push(`${encode(this.#random.pick(TEXTS))}=${encode(this.#random.pick(TEXTS))}`);
    return query.length === 0 ? address : `${address}?${query.join('&')}`;
  }

  #body({ body }: PublishedOperation): Buffer {
    const text = stringifyJson(body === undefined ? this.#anything(0) : this.#fitting(body, 0));
    const how = this.#random.weighted({ whole: 9, spoilt: 1, gzip: 0.1, deep: 0.05, bytes: 0.1 });
    if (how === 'whole') return Buffer.from(text);
    if (how === 'spoilt') return Buffer.from(this.#spoil(text));
    if (how === 'gzip') return gzipSync(Buffer.from(text));
    if (how === 'bytes') return Buffer.from(this.#random.bytes(this.#random.below(200)));
    const depth = this.#random.int(10, 5_000);
    return Buffer.from(`{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`);
  }

  /** What the schema asks for, with something else in its place now and then. */
  #fitting(schema: Schema, depth: number): unknown {
    if (depth > 6 || this.#random.chance(0.06)) return this.#anything(depth);
    const { anyOf, type, properties, items } = schema as {
      anyOf?: Schema[];
      type?: string;
      properties?: Readonly<Record<string, Schema>>;
      items?: Schema;
    };
    if ('const' in schema) return schema.const;
    if (Array.isArray(schema.enum)) return this.#random.pick(schema.enum);
    if (anyOf !== undefined) return this.#fitting(this.#random.pick(anyOf), depth);
    if (type === 'object') return this.#object(properties ?? {}, depth);
    if (type === 'array')
      return Array.from({ length: this.#random.below(4) }, () => this.#fitting(items ?? {}, depth + 1));
    if (type === 'boolean') return this.#random.chance(0.5);
    if (type === 'integer' || type === 'number') return this.#number();
    return this.#value('text');
  }

  #object(properties: Readonly<Record<string, Schema>>, depth: number): Record<string, unknown> {
    const kept = Object.entries(properties).filter(() => this.#random.chance(0.93));
    const members = kept.map(([name, member]): [string, unknown] => {
      const known = this.#good[name];
      return [name, known !== undefined && this.#random.chance(0.7) ? known : this.#fitting(member, depth + 1)];
    });
    if (this.#random.chance(0.05)) members.push([this.#random.pick(TEXTS), this.#anything(depth + 1)]);
    return Object.fromEntries(members);
  }

  #number(): unknown {
    const numbers = [0, 1, -1, 0.5, 999_999, 1_000_000, 2 ** 53, 1e21, 4e9, this.#random.uint32(), 500_000, 31_337];
    return this.#random.chance(0.1) ? this.#random.bigint64() : this.#random.pick(numbers);
  }

  #anything(depth: number): unknown {
    const kind = this.#random.weighted({
      text: 4,
      number: 3,
      null: 1,
      flag: 1,
      list: depth > 4 ? 0 : 1,
      object: depth > 4 ? 0 : 1,
    });
    if (kind === 'text') return wellFormed(this.#random.pick(TEXTS));
    if (kind === 'number') return this.#number();
    if (kind === 'list') return Array.from({ length: this.#random.below(5) }, () => this.#anything(depth + 1));
    if (kind === 'object') return { [this.#random.pick(TEXTS)]: this.#anything(depth + 1) };
    return kind === 'null' ? null : true;
  }

  /** Cut short, doubled, or with a few characters changed. */
  #spoil(text: string): string {
    const at = this.#random.below(text.length + 1);
    const how = this.#random.weighted({ cut: 1, change: 3, repeat: 1 });
    if (how === 'cut') return text.slice(0, at);
    if (how === 'repeat') return text.slice(0, at) + text.slice(this.#random.below(at + 1));
    return `${text.slice(0, at)}${String.fromCharCode(this.#random.below(256))}${text.slice(at + 1)}`;
  }

  #write(method: string, path: string, headers: readonly string[], body: Buffer): DrawnRequest {
    const lines = [`${method} ${path} HTTP/1.1`, `Host: ${this.#host}`, ...headers];
    if (body.length > 0 || method !== 'GET') lines.push(`Content-Length: ${body.length}`);
    const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
    return {
      name: `${lines[0]} | ${headers.join(' | ')} | ${body.toString('latin1', 0, 300)}`,
      bytes: Buffer.concat([head, body]),
      isLast: body.length > 0 && !isReadable(headers, body),
    };
  }
}

/** Whether the body is taken in whole: JSON that says so, not packed and not too long. */
function isReadable(headers: readonly string[], body: Buffer): boolean {
  if (body.length > LIMITS.bodyBytes || headers.some((line) => line.startsWith('Content-Encoding'))) return false;
  if (!headers.some((line) => line.toLowerCase() === 'content-type: application/json')) return false;
  try {
    JSON.parse(body.toString());
    return true;
  } catch {
    return false;
  }
}

/** As a client that knows no better does it; spaces and line ends would be another request, which is for raw sockets. */
function encode(text: string): string {
  return encodeURIComponent(wellFormed(text));
}

/** Half a surrogate pair cannot be written as UTF-8. */
function wellFormed(text: string): string {
  return Buffer.from(text).toString();
}
