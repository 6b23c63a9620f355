// One operation of the API as its documentation tells it: made of the very schemas that check requests and shape answers.
import type { ErrorCode } from '@presage/protocol';
import type { TSchema } from 'typebox';

export type Method = 'get' | 'post' | 'delete';

export interface Parameter {
  readonly schema: TSchema;
  readonly description: string;
  readonly required?: boolean;
}

/** public; token: a bearer token where authentication is on; wallet: a wallet's signature in the body; key: always a token. */
export type Access = 'public' | 'token' | 'wallet' | 'key';

export interface Operation {
  readonly method: Method;
  /** As Fastify writes it: `/api/v1/markets/:id`. */
  readonly path: string;
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly access?: Access;
  readonly params?: Readonly<Record<string, Parameter>>;
  readonly query?: Readonly<Record<string, Parameter>>;
  readonly body?: TSchema;
  /** Where everything may stand in the query instead. */
  readonly isBodyOptional?: boolean;
  readonly answer: TSchema;
  /** Other than JSON. */
  readonly contentType?: string;
  /** Beyond those that every operation of its kind can answer. */
  readonly errors?: readonly ErrorCode[];
}
