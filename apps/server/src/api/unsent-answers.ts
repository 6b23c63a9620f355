// Counts memory of unread answers in the one account of unsent bytes that HTTP, server-sent events and the stream share.
import type { Socket } from 'node:net';
import { LIMITS } from '@presage/protocol';
import { HeldBytes, type HeldLimits, type Holder } from './held-bytes.ts';
import type { RawResponse } from './http/exchange.ts';
import type { ReplyRules } from './http/reply.ts';
import { toRateKey } from './request-origin.ts';

/** Opens the account with the published limits; tests may override them. */
export function openUnsentBytes(limits: Partial<HeldLimits> = {}): HeldBytes {
  const { unsentConnectionBytes: connection, unsentAddressBytes: address, unsentBytes: all } = LIMITS;
  return new HeldBytes({ connection, address, all, ...limits });
}

class UnsentAnswer implements Holder {
  /** The connection, kept because an answer loses its socket once it is written. */
  readonly connection: Socket;
  readonly address: string;
  readonly #unsent: HeldBytes;
  #isOver = false;

  constructor(response: RawResponse, address: string, unsent: HeldBytes) {
    this.connection = response.req.socket;
    this.address = toRateKey(address);
    this.#unsent = unsent;
    response.once('close', () => {
      this.note(0);
      this.#isOver = true;
    });
  }

  note(bytes: number): void {
    if (!this.#isOver && !this.connection.destroyed) this.#unsent.note(this, bytes);
    else this.#unsent.note(this, 0);
  }

  /**
   * Closes the connection rather than the answer, because an answer queued behind another has no socket yet. Node keeps a connection's
   * answers until the event loop has handled all other sockets, so the answers of hundreds of connections could be held at a time.
   */
  giveUp(_reason: string, bytes: number): void {
    if (!this.connection.closed) this.connection.once('close', this.#unsent.countUnreleased(bytes));
    this.connection.destroy();
  }
}

export function countUnsentAnswers(unsent: HeldBytes): Pick<ReplyRules, 'noteHeld' | 'hasRoom'> {
  const answers = new WeakMap<RawResponse, UnsentAnswer>();
  return {
    hasRoom: () => unsent.hasRoom,
    noteHeld: (response, address, bytes) => {
      const answer = answers.get(response) ?? new UnsentAnswer(response, address, unsent);
      answers.set(response, answer);
      answer.note(bytes);
    },
  };
}
