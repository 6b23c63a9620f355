// Defines an endpoint once: input, answer and errors beside its handler. Derives its route, which checks the caller.
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
 * Who may call. public: everybody; identity: the wallet of the bearer token, or without one the wallet of the query; token: a bearer
 * token if authentication is on; wallet: a wallet's signature in the body; key: always a token; operator: a token of an operator's key.
 */
export type Access = 'public' | 'identity' | 'token' | 'wallet' | 'key' | 'operator';

/** Documentation and registration of an endpoint. */
export interface Endpoint {
  readonly method: Method;
  /** Parameters begin with a colon: `/api/v1/markets/:id`. */
  readonly path: string;
  /** Set if only the settler of a cluster can answer; other nodes forward the request to it. By default any node answers. */
  readonly answeredBy?: 'settler';
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** Defaults to public. */
  readonly access?: Access;
  /** Right that an operator's key needs; if missing, any operator's key is accepted. */
  readonly right?: OperatorRight;
  readonly params?: Readonly<Record<string, TextKind<unknown>>>;
  readonly query?: Readonly<Record<string, QueryParameter<unknown>>>;
  readonly body?: Body<unknown>;
  readonly answer: TSchema;
  /** Content type, if it is not JSON. */
  readonly contentType?: string;
  /** Errors beyond those of every endpoint of this kind. */
  readonly errors?: readonly ErrorCode[];
  /** Whether requests are shed first under load. */
  readonly isShedFirst?: boolean;
  /** Special behaviour of the endpoint's route. */
  readonly options?: Pick<Route, 'hasHead' | 'isStreamed' | 'onUpgrade' | 'tellsPosition' | 'toRefusal'>;
  /** The action that may need a second operator's confirmation first; throws if the input is invalid. */
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
  /** Enables conditional requests: by a hash of the answer's content, or by a tag that is known without building the answer. */
  readonly entityTag?: 'content' | ((input: Input<P, Q, B>) => string);
  /** The approval that this input may need; undefined if it never needs a second operator. */
  readonly approval?: (input: Input<P, Q, B>) => NeededApproval | undefined;
  readonly handle: (input: Input<P, Q, B>) => Promise<R>;
}

type KeysOf<T> = T extends unknown ? keyof T : never;
/** Type error for an answer with a field that its schema lacks: the endpoint then does not compile. */
interface NotInTheSchema<Field> {
  readonly notInTheSchema: Field;
}
type Exactly<A, R> = [Exclude<KeysOf<R>, KeysOf<A>>] extends [never]
  ? Endpoint
  : NotInTheSchema<Exclude<KeysOf<R>, KeysOf<A>>>;

/** Defines an endpoint whose handler returns exactly the fields of its schema. */
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

/** Defines an endpoint that writes its answer piece by piece instead of returning a value. */
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
/** Checks path, query and body in this order, and parameters in the order of their definition. */
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
  /** Whether authentication is on. If off, only the endpoints for API keys require tokens; others still identify a caller by a token. */
  readonly isAuthRequired: boolean;
}

/** Routes of endpoints; each checks its caller before the body is read. */
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

/** Checks the body against an operator's token, which is valid for one body only. Runs with the handler, when the body has arrived. */
function withSignedBody(handler: Route['handler'], { operator }: Guards): Route['handler'] {
  return (request, reply) => {
    if (request.operator !== undefined) operator.checkBody(request.operator, request.receivedBody);
    return handler(request, reply);
  };
}

const METHODS = { get: 'GET', post: 'POST', delete: 'DELETE' } as const;

/** Check of the caller's token; undefined if the endpoint takes none. An optional token that is sent must be valid. */
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
