// One endpoint, one definition: what it takes, answers and refuses, beside the handler that does it; and its route, which checks the caller.
import type { Address, ApprovableAction, ErrorCode, OperatorRight } from '@presage/protocol';
import type { TSchema } from 'typebox';
import type { ApiKey } from '../auth/key-registry.ts';
import type { TokenChecker } from '../auth/token-checker.ts';
import type { Operator } from '../operator/open.ts';
import type { Answer } from './answer.ts';
import type { Body } from './bodies.ts';
import { sendTagged, sendTaggedByContent } from './entity-tag.ts';
import type { HttpReply } from './http/reply.ts';
import type { HttpRequest, Route } from './http/request.ts';
import type { QueryParameter, TextKind } from './parameters.ts';

type Method = 'get' | 'post' | 'delete';

/**
 * public; identity: a bearer token says whose it is, without one the query does; token: a bearer token where authentication is on;
 * wallet: a wallet's signature in the body; key: always a token; operator: a token of an operator's key.
 */
export type Access = 'public' | 'identity' | 'token' | 'wallet' | 'key' | 'operator';

/** Documentation of an endpoint, and how it is registered. */
export interface Endpoint {
  readonly method: Method;
  /** Parameters begin with a colon: `/api/v1/markets/:id`. */
  readonly path: string;
  /** In a cluster only the settler can answer, and other nodes pass the request on. Without it any node answers. */
  readonly answeredBy?: 'settler';
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** Defaults to public. */
  readonly access?: Access;
  /** The right that an operator's key needs; without it any key is accepted. */
  readonly right?: OperatorRight;
  readonly params?: Readonly<Record<string, TextKind<unknown>>>;
  readonly query?: Readonly<Record<string, QueryParameter<unknown>>>;
  readonly body?: Body<unknown>;
  readonly answer: TSchema;
  /** Content type, if it is not JSON. */
  readonly contentType?: string;
  /** Errors beyond those of every endpoint of this kind. */
  readonly errors?: readonly ErrorCode[];
  /** Shed first under load. */
  readonly isShedFirst?: boolean;
  /** What its route does differently from others. */
  readonly options?: Pick<Route, 'hasHead' | 'isStreamed' | 'onUpgrade' | 'tellsPosition' | 'toRefusal'>;
  /** What a second operator may have to confirm first; throws if the input is invalid. */
  readonly approvalFor?: (request: HttpRequest, reply: HttpReply) => NeededApproval | undefined;
  readonly handler: Route['handler'];
}

interface NeededApproval {
  readonly action: ApprovableAction;
  readonly reason: string | undefined;
  /** Whether the caller wants a confirmation even if the settings do not ask for one. */
  readonly isDraft?: boolean | undefined;
  /** Throws if another operator must not confirm this input. */
  readonly check?: () => void;
}

type Params = Readonly<Record<string, TextKind<unknown>>>;
type Query = Readonly<Record<string, QueryParameter<unknown>>>;
type None = Readonly<Record<never, never>>;

/** Validated input of a handler. */
interface Input<P, Q, B> {
  readonly params: { readonly [K in keyof P]: P[K] extends TextKind<infer T> ? T : never };
  readonly query: { readonly [K in keyof Q]: Q[K] extends QueryParameter<infer V> ? V : never };
  readonly body: B;
  /** Owner of the caller's token; undefined if no token was required or sent. */
  readonly wallet: Address | undefined;
  readonly request: HttpRequest;
  readonly reply: HttpReply;
}

interface Definition<P, Q, B>
  extends Omit<Endpoint, 'handler' | 'approvalFor' | 'params' | 'query' | 'body' | 'answer'> {
  readonly params?: P;
  readonly query?: Q;
  readonly body?: Body<B>;
}

interface AnsweringDefinition<P, Q, B, A extends TSchema, R> extends Definition<P, Q, B> {
  readonly answer: A;
  /** Enables conditional requests: tagged by the content of the answer, or by a tag that is known without building it. */
  readonly entityTag?: 'content' | ((input: Input<P, Q, B>) => string);
  /** Undefined if this input needs no second operator, whatever the settings say. */
  readonly approval?: (input: Input<P, Q, B>) => NeededApproval | undefined;
  readonly handle: (input: Input<P, Q, B>) => Promise<R>;
}

type KeysOf<T> = T extends unknown ? keyof T : never;
/** Replaces the definition's type if the answer has a field that its schema lacks, so that it does not compile. */
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
  const { handle, entityTag, approval, ...rest } = definition;
  const inputOf = inputReader(definition);
  const approvalFor: Endpoint['approvalFor'] = approval && ((request, reply) => approval(inputOf(request, reply)));
  const documented = { ...rest, ...(approvalFor && { approvalFor }) };
  if (entityTag === undefined) return { ...documented, handler: (request, reply) => handle(inputOf(request, reply)) };
  if (entityTag === 'content') {
    const handler = async (request: HttpRequest, reply: HttpReply) =>
      sendTaggedByContent(request, reply, await handle(inputOf(request, reply)));
    return { ...documented, handler };
  }
  const handler = async (request: HttpRequest, reply: HttpReply) => {
    const input = inputOf(request, reply);
    return sendTagged(request, reply, { tag: entityTag(input), answer: () => handle(input) });
  };
  return { ...documented, handler };
}

interface StreamingDefinition<P, Q, B> extends Definition<P, Q, B> {
  readonly answer: TSchema;
  readonly contentType: string;
  /** Writes the answer to the reply. */
  readonly handle: (input: Input<P, Q, B>) => void | Promise<void>;
}

/** An endpoint that keeps its connection: its answer is no single value. */
export function streamingEndpoint<P extends Params = None, Q extends Query = None, B = undefined>(
  definition: StreamingDefinition<P, Q, B>,
): Endpoint {
  const { handle, ...documented } = definition;
  const inputOf = inputReader(definition);
  const options = { ...definition.options, isStreamed: true };
  return { ...documented, options, handler: (request, reply) => handle(inputOf(request, reply)) };
}

function inputReader<P, Q, B>(
  definition: Definition<P, Q, B>,
): (request: HttpRequest, reply: HttpReply) => Input<P, Q, B>;
/** Path, query and body are checked in this order, and the parameters in the order of the definition. */
function inputReader({ params = {}, query = {}, body }: Definition<Params, Query, unknown>) {
  const [kinds, parameters] = [Object.entries(params), Object.entries(query)];
  return (request: HttpRequest, reply: HttpReply): Input<Params, Query, unknown> => ({
    params: valuesOf(kinds, (name, kind) => kind.read(name, request.params[name])),
    query: valuesOf(parameters, (name, parameter) => parameter.read(name, request.query)),
    body: body?.read === undefined ? request.body : body.read(request.body),
    wallet: request.caller?.key.owner,
    request,
    reply,
  });
}

const NO_VALUES = {};

function valuesOf<T>(entries: readonly [string, T][], read: (name: string, item: T) => unknown) {
  if (entries.length === 0) return NO_VALUES;
  return Object.fromEntries(entries.map(([name, item]) => [name, read(name, item)]));
}

interface Guards {
  readonly guard: TokenChecker<ApiKey>;
  readonly operator: Pick<Operator, 'check' | 'checkBody'>;
  /** Without authentication only the endpoints for API keys require tokens; the others still identify a caller by one. */
  readonly isAuthRequired: boolean;
}

/** Each route checks its caller before the body is read. */
export function routesOf(endpoints: readonly Endpoint[], guards?: Guards): Route[] {
  return endpoints.map(({ method, path, access = 'public', right, isShedFirst = false, options, handler }) => ({
    ...options,
    method: METHODS[method],
    path,
    isShedFirst,
    identify: guards && identifierOf(access, right, guards),
    handler: access === 'operator' && guards ? withSignedBody(handler, guards) : handler,
  }));
}

/** A token of an operator is good for one body only, which is there when the handler is called. */
function withSignedBody(handler: Route['handler'], { operator }: Guards): Route['handler'] {
  return (request, reply) => {
    if (request.operator !== undefined) operator.checkBody(request.operator, request.receivedBody);
    return handler(request, reply);
  };
}

const METHODS = { get: 'GET', post: 'POST', delete: 'DELETE' } as const;

/** Undefined if the endpoint asks for no token. An optional token that is sent must be valid, and identifies the caller. */
function identifierOf(access: Access, right: OperatorRight | undefined, guards: Guards): Route['identify'] {
  const { guard, operator, isAuthRequired } = guards;
  if (access === 'operator') {
    return (request) => {
      request.operator = operator.check(request, right);
      return request.operator;
    };
  }
  if (access === 'public' || access === 'wallet') return undefined;
  const isRequired = access === 'key' || (access === 'token' && isAuthRequired);
  return (request) => {
    const { authorization } = request.headers;
    if (isRequired || authorization) request.caller = guard.check(authorization);
    return request.caller;
  };
}
