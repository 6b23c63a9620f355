// What is held in memory for all connections together: past its limit those that hold the most are given up, so that the others keep theirs.
import type { ServerResponse } from 'node:http';
import { LIMITS } from '@presage/protocol';
import type { FastifyInstance, FastifyReply } from 'fastify';

declare module 'fastify' {
  interface FastifyReply {
    /** Records the bytes that an answer sent in parts holds now. */
    noteHeld(bytes: number): void;
  }
}

/** Shorter answers go into the system's socket buffers at once. */
const COUNTED_FROM_CHARACTERS = 16_384;

interface Backlogged {
  /** Releases everything held for this holder. */
  giveUp(): void;
}

export class SharedBacklog {
  readonly #limitBytes: number;
  readonly #held = new Map<Backlogged, number>();
  #bytes = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Records the memory held for `holder`. Among equally large holders the oldest is dropped first. */
  note(holder: Backlogged, bytes: number): void {
    this.#bytes += bytes - (this.#held.get(holder) ?? 0);
    if (bytes === 0) this.#held.delete(holder);
    else this.#held.set(holder, bytes);
    while (this.#bytes > this.#limitBytes && this.#held.size > 0) this.#giveUpLargest();
  }

  #giveUpLargest(): void {
    let largest: Backlogged | undefined;
    let most = 0;
    for (const [holder, bytes] of this.#held) if (bytes > most) [largest, most] = [holder, bytes];
    if (largest === undefined) return;
    this.#held.delete(largest);
    this.#bytes -= most;
    largest.giveUp();
  }
}

/** An answer that is not read yet. */
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
