// Entity tags: a client that has the newest answer already gets 304 instead of the body again.
import { createHash } from 'node:crypto';
import { stringifyJson } from '@presage/protocol';
import type { FastifyReply, FastifyRequest } from 'fastify';

interface Tagged {
  /** Changes whenever the answer at this address changes. */
  readonly tag: string;
  /** Builds the answer, only if it is needed. */
  readonly answer: () => Promise<unknown>;
}

/** Answers 304 if the caller named this tag, otherwise with the body; always sends the tag and makes caches revalidate. */
export async function sendTagged(
  { headers }: Pick<FastifyRequest, 'headers'>,
  reply: FastifyReply,
  { tag, answer }: Tagged,
): Promise<FastifyReply> {
  return isNamed(headers['if-none-match'], tagReply(reply, tag))
    ? reply.code(304).send()
    : sendJson(reply, stringifyJson(await answer()));
}

/** For answers that can only be compared by their content. */
export function sendTaggedByContent(
  { headers }: Pick<FastifyRequest, 'headers'>,
  reply: FastifyReply,
  answer: unknown,
): FastifyReply {
  const text = stringifyJson(answer);
  const tag = tagReply(reply, createHash('sha256').update(text).digest('base64url').slice(0, 22));
  return isNamed(headers['if-none-match'], tag) ? reply.code(304).send() : sendJson(reply, text);
}

function tagReply(reply: FastifyReply, name: string): string {
  const tag = `"${name}"`;
  reply.header('ETag', tag).header('Cache-Control', 'no-cache');
  return tag;
}

function sendJson(reply: FastifyReply, text: string): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(text);
}

/** The header is a list of tags or a star; proxies that compress mark tags as weak, which is equal enough for a GET. */
export function isNamed(header: string | undefined, tag: string): boolean {
  const names = (header ?? '').split(',').map((name) => name.trim().replace(/^W\//, ''));
  return names.includes(tag) || names.includes('*');
}
