// Entity tags: a reader who has the newest answer already is told so instead of being sent it again.
import { createHash } from 'node:crypto';
import { stringifyJson } from '@presage/protocol';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** 304 when the tag is one the caller named, else the body; always with the tag, and never used unasked. */
export function sendTagged(request: FastifyRequest, reply: FastifyReply, tagged: Tagged): FastifyReply {
  const tag = `"${tagged.tag}"`;
  reply.header('ETag', tag).header('Cache-Control', 'no-cache');
  if (isNamed(request.headers['if-none-match'], tag)) return reply.code(304).send();
  return reply.type('application/json; charset=utf-8').send(tagged.body());
}

export interface Tagged {
  /** Another whenever the answer at this address is another. */
  readonly tag: string;
  /** JSON text, made only when it is needed. */
  readonly body: () => string;
}

/** For answers whose sameness can be seen in nothing but themselves. */
export function tagByContent(answer: object): Tagged {
  const text = stringifyJson(answer);
  return { tag: createHash('sha256').update(text).digest('base64url').slice(0, 22), body: () => text };
}

/** The header is a list of tags or a star; proxies that compress mark tags as weak, which is near enough for a GET. */
function isNamed(header: string | undefined, tag: string): boolean {
  const names = (header ?? '').split(',').map((name) => name.trim().replace(/^W\//, ''));
  return names.includes(tag) || names.includes('*');
}
