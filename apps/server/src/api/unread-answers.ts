// Answers that are not read yet: what is held for all readers together is bounded, at the cost of those for whom most is held.
import type { ServerResponse } from 'node:http';
import { LIMITS } from '@presage/protocol';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { SharedBacklog } from './shared-backlog.ts';

declare module 'fastify' {
  interface FastifyReply {
    /** Records the bytes that an answer sent in parts holds now. */
    noteHeld(bytes: number): void;
  }
}

/** Shorter answers go into the system's socket buffers at once. */
const COUNTED_FROM_CHARACTERS = 16_384;

class UnreadAnswer {
  readonly #response: ServerResponse;
  readonly #shared: SharedBacklog;

  constructor(response: ServerResponse, shared: SharedBacklog) {
    this.#response = response;
    this.#shared = shared;
    response.once('close', () => shared.note(this, 0));
  }

  note(bytes: number): void {
    if (!this.#response.destroyed) this.#shared.note(this, bytes);
  }

  giveUp(): void {
    // Closes the connection, because an answer queued behind another has no socket yet.
    this.#response.req.socket.destroy();
  }
}

export function boundUnreadAnswers(server: FastifyInstance, limitBytes: number = LIMITS.answersUnreadBytes): void {
  const shared = new SharedBacklog(limitBytes);
  const answers = new WeakMap<ServerResponse, UnreadAnswer>();
  const answerOf = (response: ServerResponse): UnreadAnswer => {
    const answer = answers.get(response) ?? new UnreadAnswer(response, shared);
    answers.set(response, answer);
    return answer;
  };
  server.decorateReply('noteHeld', function noteHeld(this: FastifyReply, bytes: number) {
    answerOf(this.raw).note(bytes);
  });
  server.addHook('onSend', (_request, reply, payload, next) => {
    // Buffers are static content, which all readers share.
    if (typeof payload === 'string' && payload.length >= COUNTED_FROM_CHARACTERS) reply.noteHeld(payload.length);
    next(null, payload);
  });
}
