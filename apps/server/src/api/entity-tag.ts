// Entity tags: answers 304 instead of the body to a client that has the newest answer. Compresses static content once.
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { stringifyJson } from '@presage/protocol';
import { isAccepted } from './http/compression.ts';
import type { HttpReply } from './http/reply.ts';
import type { HttpRequest } from './http/request.ts';

interface Tagged {
  /** Tag that changes whenever the answer at this address changes. */
  readonly tag: string;
  /** Builds the answer, only if it is needed. */
  readonly answer: () => Promise<unknown>;
}

/** Answers 304 if the caller named this tag, otherwise with the body; always sends the tag and makes caches revalidate. */
export async function sendTagged(
  { headers }: Pick<HttpRequest, 'headers'>,
  reply: HttpReply,
  { tag, answer }: Tagged,
): Promise<HttpReply> {
  return isUnchanged({ headers }, reply, tag) ? reply : sendJson(reply, stringifyJson(await answer()));
}

/** Answers 304 if the caller named this tag; otherwise only sets the headers, and the caller sends the body. */
export function isUnchanged({ headers }: Pick<HttpRequest, 'headers'>, reply: HttpReply, tag: string): boolean {
  if (!isNamed(headers['if-none-match'], tagReply(reply, tag))) return false;
  reply.code(304).send();
  return true;
}

/** Answers with a tag computed from the content, for answers without a cheaper tag. */
export function sendTaggedByContent(
  { headers }: Pick<HttpRequest, 'headers'>,
  reply: HttpReply,
  answer: unknown,
): HttpReply {
  const text = stringifyJson(answer);
  const tag = createHash('sha256').update(text).digest('base64url').slice(0, 22);
  return isUnchanged({ headers }, reply, tag) ? reply : sendJson(reply, text);
}

function tagReply(reply: HttpReply, name: string): string {
  const tag = `"${name}"`;
  reply.header('ETag', tag).header('Cache-Control', 'no-cache');
  return tag;
}

function sendJson(reply: HttpReply, text: string): HttpReply {
  return reply.type('application/json; charset=utf-8').send(text);
}

/** Whether `If-None-Match`, a list of tags or a star, names the tag. Weak tags match too: proxies that compress mark tags as weak. */
function isNamed(header: string | undefined, tag: string): boolean {
  const names = (header ?? '').split(',').map((name) => name.trim().replace(/^W\//, ''));
  return names.includes(tag) || names.includes('*');
}

const compress = promisify(gzip);

/** Minimum size for compression, below which it gains nothing. */
const COMPRESS_FROM_BYTES = 1_024;

export class StaticContent {
  readonly plain: Buffer;
  /** Tag of the content; sent as weak because it names both the plain and the compressed bytes. */
  readonly #tag: string;
  #packed: Promise<Buffer> | undefined;

  /** `packed` is the same content compressed with gzip. */
  constructor(plain: Buffer, packed?: Buffer) {
    this.plain = plain;
    this.#tag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`;
    this.#packed = packed && Promise.resolve(packed);
  }

  async send({ headers }: HttpRequest, reply: HttpReply): Promise<HttpReply> {
    reply.header('ETag', `W/${this.#tag}`).header('Vary', 'Origin, Accept-Encoding');
    if (isNamed(headers['if-none-match'], this.#tag)) return reply.code(304).send();
    const codings = String(headers['accept-encoding'] ?? '');
    if (!isAccepted(codings, 'gzip')) return reply.send(this.plain);
    if (this.plain.length >= COMPRESS_FROM_BYTES) this.#packed ??= compress(this.plain, { level: 9 });
    if (this.#packed === undefined) return reply.send(this.plain);
    return reply.header('Content-Encoding', 'gzip').send(await this.#packed);
  }
}
