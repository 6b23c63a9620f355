// Messages between nodes after the handshake: requests and answers with an id, and news without an answer.
import { type ErrorCode, PresageError } from '@presage/protocol';
import { messageOf } from '@presage/runtime';
import { bodiesOf, newsOf } from './link-bodies.ts';
import { LinkReader, LinkWriter, MessageInvalid } from './link-bytes.ts';
import type { NextOwner } from './ports.ts';

export type LinkMessage =
  | { readonly kind: 'request'; readonly id: number; readonly method: string; readonly body: unknown }
  | { readonly kind: 'answer'; readonly id: number; readonly body: unknown }
  | { readonly kind: 'refusal'; readonly id: number; readonly refusal: LinkRefusal }
  | { readonly kind: 'news'; readonly topic: string; readonly body: unknown };

export interface LinkRefusal {
  /**
   * `elsewhere`: not done, and owned by another node; ask the owner. `unknown`: perhaps done. `refused`: an error of the catalogue.
   * `failed`: anything else.
   */
  readonly reason: 'elsewhere' | 'unknown' | 'refused' | 'failed';
  readonly code?: ErrorCode;
  readonly details?: Readonly<Record<string, unknown>>;
  /** Set for `elsewhere` if known: the node that the partition was handed to. */
  readonly next?: NextOwner;
  readonly message: string;
}

/** Size limit of messages. The events of the longest cancel-all fit many times. */
export const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

/** This node does not own the partition, or no longer does; nothing was done. */
export class NotOwner extends Error {
  override readonly name = 'NotOwner';
  /** Node that the partition was handed to before anything was done, if any. */
  readonly next: NextOwner | undefined;

  constructor(partition: string, next?: NextOwner) {
    super(`The partition ${partition} is not owned here.`);
    this.next = next;
  }
}

/** The outcome of a call is unknown: before a retry its effect must be looked for. */
export class OutcomeUnknown extends Error {
  override readonly name: string = 'OutcomeUnknown';
}

/** The connection ended before the answer. */
export class LinkLost extends OutcomeUnknown {
  override readonly name = 'LinkLost';

  constructor(address: string) {
    super(`The connection to the node at ${address} was lost.`);
  }
}

const REQUEST = 1;
const ANSWER = 2;
const REFUSAL = 3;
const NEWS = 4;

/** Shared by all messages: they are written one at a time, and senders copy them. */
const writer = new LinkWriter();

/** All results of `encode...` are valid until the next message is written. */
export function encodeRequest(id: number, method: string, body: unknown): Uint8Array {
  writer.begin().byte(REQUEST).integer(id).text(method);
  bodiesOf(method).asked.write(writer, body);
  return writer.end();
}

export function encodeAnswer(id: number, method: string, body: unknown): Uint8Array {
  writer.begin().byte(ANSWER).integer(id);
  bodiesOf(method).answer.write(writer, body);
  return writer.end();
}

export function encodeRefusal(id: number, refusal: LinkRefusal): Uint8Array {
  return writer.begin().byte(REFUSAL).integer(id).json(refusal).end();
}

export function encodeNews(topic: string, body: unknown): Uint8Array {
  writer.begin().byte(NEWS).text(topic);
  newsOf(topic).write(writer, body);
  return writer.end();
}

/**
 * Throws if the bytes are not a message, which closes the connection: only proved nodes of this version get here. `methodOf` returns the
 * method that an answer belongs to; an answer that nobody waits for is undefined.
 */
export function decodeMessage(bytes: Buffer, methodOf: (id: number) => string | undefined): LinkMessage | undefined {
  const reader = new LinkReader(bytes);
  const kind = reader.byte();
  const id = kind === NEWS ? 0 : reader.integer();
  const message = readMessage(reader, kind, id, methodOf);
  if (message !== undefined) reader.end();
  return message;
}

function readMessage(
  reader: LinkReader,
  kind: number,
  id: number,
  methodOf: (id: number) => string | undefined,
): LinkMessage | undefined {
  switch (kind) {
    case REQUEST: {
      const method = reader.text();
      return { kind: 'request', id, method, body: bodiesOf(method).asked.read(reader) };
    }
    case ANSWER: {
      const method = methodOf(id);
      return method === undefined ? undefined : { kind: 'answer', id, body: bodiesOf(method).answer.read(reader) };
    }
    case REFUSAL:
      // Written by `encodeRefusal` of a node of the same version.
      return { kind: 'refusal', id, refusal: reader.json() as LinkRefusal };
    case NEWS: {
      const topic = reader.text();
      return { kind: 'news', topic, body: newsOf(topic).read(reader) };
    }
    default:
      throw new MessageInvalid(`a message of kind ${kind}`);
  }
}

export function toRefusal(error: unknown): LinkRefusal {
  const message = messageOf(error);
  if (error instanceof NotOwner) return { reason: 'elsewhere', message, ...(error.next && { next: error.next }) };
  if (error instanceof OutcomeUnknown) return { reason: 'unknown', message };
  if (!(error instanceof PresageError)) return { reason: 'failed', message };
  return { reason: 'refused', code: error.code, message, ...(error.details && { details: error.details }) };
}

export function fromRefusal({ reason, code, details, message, next }: LinkRefusal): Error {
  if (reason === 'refused' && code !== undefined) return new PresageError(code, details);
  if (reason === 'elsewhere') return Object.assign(new NotOwner('asked for', next), { message });
  return reason === 'unknown' ? new OutcomeUnknown(message) : new Error(message);
}
