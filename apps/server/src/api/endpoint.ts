// One endpoint, one definition: what it takes, answers and refuses, beside the handler that does it.
import type { Address, ErrorCode, OperatorRight } from '@presage/protocol';
import type { FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify';
import type { TSchema } from 'typebox';
import type { WebSocket } from 'ws';
import type { Answer } from './answer.ts';
import type { Body } from './bodies.ts';
import { sendTagged, sendTaggedByContent } from './entity-tag.ts';
import type { QueryParameter, RawQuery, TextKind } from './parameters.ts';

type Method = 'get' | 'post' | 'delete';

/**
 * public; identity: a bearer token says whose it is, without one the query does; token: a bearer token where authentication is on;
 * wallet: a wallet's signature in the body; key: always a token; operator: a token of an operator's key.
 */
export type Access = 'public' | 'identity' | 'token' | 'wallet' | 'key' | 'operator';

export interface ApiRoute {
  readonly Params: Readonly<Record<string, string>>;
  readonly Querystring: RawQuery;
  readonly Body: unknown;
}
type ApiRequest = FastifyRequest<ApiRoute>;

/** What is documented of every endpoint, and how it is registered. */
export interface Endpoint {
  readonly method: Method;
  /** As Fastify writes it: `/api/v1/markets/:id`. */
  readonly path: string;
  /** Of a cluster: the settler alone, which has what is asked for; others pass the request on. Any node when absent. */
  readonly answeredBy?: 'settler';
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** Public when absent. */
  readonly access?: Access;
  /** Of an operator's endpoint: what the key must be allowed; without it any key will do. */
  readonly right?: OperatorRight;
  readonly params?: Readonly<Record<string, TextKind<unknown>>>;
  readonly query?: Readonly<Record<string, QueryParameter<unknown>>>;
  readonly body?: Body<unknown>;
  readonly answer: TSchema;
  /** Other than JSON. */
  readonly contentType?: string;
  /** Beyond those that every endpoint of its kind can answer. */
  readonly errors?: readonly ErrorCode[];
  /** Refused first when more comes than can be answered in time. */
  readonly isShedFirst?: boolean;
  /** Of Fastify, where an endpoint is not like the others. */
  readonly options?: EndpointOptions;
  readonly handler: (request: ApiRequest, reply: FastifyReply) => unknown;
}

interface EndpointOptions extends Pick<RouteShorthandOptions, 'errorHandler' | 'exposeHeadRoute'> {
  /** What becomes of an upgrade to a WebSocket. */
  readonly wsHandler?: (socket: WebSocket, request: FastifyRequest) => void;
}

type Params = Readonly<Record<string, TextKind<unknown>>>;
type Query = Readonly<Record<string, QueryParameter<unknown>>>;
type None = Readonly<Record<never, never>>;

/** Everything checked already. */
interface Input<P, Q, B> {
  readonly params: { readonly [K in keyof P]: P[K] extends TextKind<infer T> ? T : never };
  readonly query: { readonly [K in keyof Q]: Q[K] extends QueryParameter<infer V> ? V : never };
  readonly body: B;
  /** Of the caller's token; undefined where none was asked for or sent. */
  readonly wallet: Address | undefined;
  readonly request: ApiRequest;
  readonly reply: FastifyReply;
}

interface Definition<P, Q, B> extends Omit<Endpoint, 'handler' | 'params' | 'query' | 'body' | 'answer'> {
  readonly params?: P;
  readonly query?: Q;
  readonly body?: Body<B>;
}

interface AnsweringDefinition<P, Q, B, A extends TSchema, R> extends Definition<P, Q, B> {
  readonly answer: A;
  /** Lets readers ask for news only: by the answer's own content, or by a tag that is had without making the answer. */
  readonly entityTag?: 'content' | ((input: Input<P, Q, B>) => string);
  readonly handle: (input: Input<P, Q, B>) => Promise<R>;
}

type KeysOf<T> = T extends unknown ? keyof T : never;
/** Instead of an endpoint, so that an answer with a field that its schema does not have does not compile. */
interface NotInTheSchema<Field> {
  readonly notInTheSchema: Field;
}
type Exactly<A, R> = [Exclude<KeysOf<R>, KeysOf<A>>] extends [never]
  ? Endpoint
  : NotInTheSchema<Exclude<KeysOf<R>, KeysOf<A>>>;

/** An endpoint whose handler returns what its schema says, no field less and none more. */
export function endpoint<
  P extends Params = None,
  Q extends Query = None,
  B = undefined,
  A extends TSchema = TSchema,
  R extends Answer<A> = Answer<A>,
>(definition: AnsweringDefinition<P, Q, B, A, R>): Exactly<Answer<A>, R>;
export function endpoint<
  P extends Params = None,
  Q extends Query = None,
  B = undefined,
  A extends TSchema = TSchema,
  R extends Answer<A> = Answer<A>,
>(definition: AnsweringDefinition<P, Q, B, A, R>): Endpoint | NotInTheSchema<unknown> {
  const { handle, entityTag, ...documented } = definition;
  const inputOf = inputReader(definition);
  if (entityTag === undefined) return { ...documented, handler: (request, reply) => handle(inputOf(request, reply)) };
  if (entityTag === 'content') {
    const handler = async (request: ApiRequest, reply: FastifyReply) =>
      sendTaggedByContent(request, reply, await handle(inputOf(request, reply)));
    return { ...documented, handler };
  }
  const handler = async (request: ApiRequest, reply: FastifyReply) => {
    const input = inputOf(request, reply);
    return sendTagged(request, reply, { tag: entityTag(input), answer: () => handle(input) });
  };
  return { ...documented, handler };
}

interface StreamingDefinition<P, Q, B> extends Definition<P, Q, B> {
  readonly answer: TSchema;
  readonly contentType: string;
  /** Writes the answer by itself. */
  readonly handle: (input: Input<P, Q, B>) => void;
}

/** An endpoint that keeps its connection: its answer is no single value. */
export function streamingEndpoint<P extends Params = None, Q extends Query = None, B = undefined>(
  definition: StreamingDefinition<P, Q, B>,
): Endpoint {
  const { handle, ...documented } = definition;
  const inputOf = inputReader(definition);
  return { ...documented, handler: (request, reply) => handle(inputOf(request, reply)) };
}

function inputReader<P, Q, B>(
  definition: Definition<P, Q, B>,
): (request: ApiRequest, reply: FastifyReply) => Input<P, Q, B>;
/** Path, query and body are checked in this order, and the parameters in the order of the definition. */
function inputReader({ params = {}, query = {}, body }: Definition<Params, Query, unknown>) {
  const [kinds, parameters] = [Object.entries(params), Object.entries(query)];
  return (request: ApiRequest, reply: FastifyReply): Input<Params, Query, unknown> => ({
    params: valuesOf(kinds, (name, kind) => kind.read(name, request.params[name])),
    query: valuesOf(parameters, (name, parameter) => parameter.read(name, request.query)),
    body: body?.read === undefined ? request.body : body.read(request.body),
    wallet: request.caller?.owner,
    request,
    reply,
  });
}

const NO_VALUES = {};

function valuesOf<T>(entries: readonly [string, T][], read: (name: string, item: T) => unknown) {
  if (entries.length === 0) return NO_VALUES;
  return Object.fromEntries(entries.map(([name, item]) => [name, read(name, item)]));
}
