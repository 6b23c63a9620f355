// Content that is the same for everybody: compressed once, tagged, and answered with 304 to a client that has it already.
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isNamed } from './entity-tag.ts';

const compress = promisify(gzip);

/** Compression gains nothing below this size. */
const COMPRESS_FROM_BYTES = 1_024;

/** Route options: the content is compressed already. */
export const STATIC_ROUTE = { compress: false } as const;

export class StaticContent {
  readonly plain: Buffer;
  /** A weak tag, because it names both the plain and the compressed bytes. */
  readonly #tag: string;
  #packed: Promise<Buffer> | undefined;

  /** `packed` is the same content compressed with gzip. */
  constructor(plain: Buffer, packed?: Buffer) {
    this.plain = plain;
    this.#tag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`;
    this.#packed = packed && Promise.resolve(packed);
  }

  async send({ headers }: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    reply.header('ETag', `W/${this.#tag}`).header('Vary', 'Accept-Encoding');
    if (isNamed(headers['if-none-match'], this.#tag)) return reply.code(304).send();
    const codings = String(headers['accept-encoding'] ?? '');
    if (!acceptsGzip(codings)) return reply.send(this.plain);
    if (this.plain.length >= COMPRESS_FROM_BYTES) this.#packed ??= compress(this.plain, { level: 9 });
    if (this.#packed === undefined) return reply.send(this.plain);
    return reply.header('Content-Encoding', 'gzip').send(await this.#packed);
  }
}

function acceptsGzip(codings: string): boolean {
  const coding = codings.split(',').find((each) => /^\s*gzip\s*(;|$)/i.test(each));
  return coding !== undefined && !/;\s*q=0(\.0*)?\s*$/i.test(coding);
}
