// What nodes say to each other once they know each other: requests and answers by id, and news that nobody answers.
import { deserialize, serialize } from 'node:v8';
import { type ErrorCode, PresageError } from '@presage/protocol';
import { messageOf } from '@presage/runtime';
import type { NextOwner } from './ports.ts';

/** Structured clones: orders hold integers past 2^53, and frames bytes, which JSON has not. */
export type LinkMessage =
  | { readonly kind: 'request'; readonly id: number; readonly method: string; readonly body: unknown }
  | { readonly kind: 'answer'; readonly id: number; readonly body: unknown }
  | { readonly kind: 'refusal'; readonly id: number; readonly refusal: LinkRefusal }
  | { readonly kind: 'news'; readonly topic: string; readonly body: unknown };

export interface LinkRefusal {
  /** `elsewhere`: not done, and not here; ask the owner. `unknown`: perhaps done. `refused`: an error of the catalogue. `failed`: anything else. */
  readonly reason: 'elsewhere' | 'unknown' | 'refused' | 'failed';
  readonly code?: ErrorCode;
  readonly details?: Readonly<Record<string, unknown>>;
  /** Set for `elsewhere`: the node that it was handed to. */
  readonly next?: NextOwner;
  readonly message: string;
}

/** A command with the longest cancel-all fits many times. */
export const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

/** This node does not own what was asked for, or does so no longer: nothing was done. */
export class NotOwner extends Error {
  override readonly name = 'NotOwner';
  /** Where it was handed to before anything was done, if it was. */
  readonly next: NextOwner | undefined;

  constructor(partition: string, next?: NextOwner) {
    super(`The partition ${partition} is not owned here.`);
    this.next = next;
  }
}

/** Nobody knows whether it was done: whoever asks again has to look for it first. */
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

export function encodeMessage(message: LinkMessage): Uint8Array {
  return serialize(message);
}

/** Only ever of a node that has proved to know the secret. */
export function decodeMessage(bytes: Uint8Array): LinkMessage {
  return deserialize(bytes) as LinkMessage;
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
