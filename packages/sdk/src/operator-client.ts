// Client for operators: create and edit markets, pause and halt, block wallets, categories, failures, keys, and the
// audit log.
import type { ApiKey } from './api-key.ts';
import { addRemedies } from './errors.ts';
import { OPERATOR_REMEDIES } from './generated/operator-remedies.ts';
import { type CallOptions, Http, type HttpOptions, type HttpRequest, type Query } from './http.ts';
import { toAddress, toBytes32 } from './inputs.ts';
import { authorizeOperator } from './operator-token.ts';
import type {
  AddedOperatorKey,
  Approval,
  ApprovalList,
  BlockedWallet,
  CategoryList,
  CheckedMarket,
  ConfirmedApproval,
  CreatedEvent,
  CreatedMarket,
  FailureList,
  Market,
  MarketEvent,
  MarketTemplate,
  MarketTemplateList,
  OperatorAction,
  OperatorActionList,
  OperatorKey,
  OperatorKeyList,
  OperatorRight,
  RejectedApproval,
  RetryResponse,
  RevenueList,
  Schedule,
  ScheduledMarket,
  TradingControls,
  VoidResponse,
  WebhookRetryResponse,
  WebhookStatus,
} from './types.ts';

addRemedies(OPERATOR_REMEDIES);

export interface OperatorClientOptions extends HttpOptions {
  /** The operator's key. Its url is that of the admin listener; in a sandbox, of the service itself. */
  readonly key: ApiKey;
  /** Name of the exchange for which requests are signed. By default the service is asked; name it if one key is used at several exchanges. */
  readonly service?: string;
}

/** Options of a change; the reason is recorded in the audit log. */
export interface ActOptions extends CallOptions {
  readonly reason?: string | undefined;
}

export interface MarketTextParams {
  readonly question?: string;
  readonly description?: string;
  /** Source of the answer. */
  readonly source?: string;
  readonly category?: string;
  readonly imageUrl?: string;
}

export interface OperatorMarketParams extends MarketTextParams {
  /** Unix seconds. Expiration and question may come from the template. */
  readonly expiration?: number;
  /** Whether a result may be proposed before the expiration; false by default. */
  readonly earlyResolution?: boolean;
  /** The first chain by default. */
  readonly chainId?: number;
  /** Hundredths of a percent, 0 to 700; by default the rates of the category. */
  readonly feeRateBps?: number;
  readonly makerShareBps?: number;
  /** Template for all fields that are not given. */
  readonly template?: string;
  /** Values of the template's placeholders. */
  readonly values?: Readonly<Record<string, string>>;
  /** Idempotency key: sending the same key again creates no second market. */
  readonly key?: string;
  /** Requires confirmation by another operator, regardless of the settings. */
  readonly draft?: boolean;
}

export interface OperatorEventParams extends Omit<OperatorMarketParams, 'template' | 'values'> {
  readonly question: string;
  readonly expiration: number;
  /** Names of the outcomes, of which exactly one will win. */
  readonly outcomes: readonly string[];
}

export interface OperatorKeyParams {
  readonly name: string;
  readonly rights: readonly OperatorRight[];
  /** If absent, a key pair is created and its private half returned once. */
  readonly publicKey?: string;
}

export interface ActionsQuery {
  /** Only actions on this market, wallet, key or category. */
  readonly subject?: string;
  readonly limit?: number;
  /** The `nextCursor` of the page before. */
  readonly cursor?: string;
}

export interface RevenueQuery {
  /** First second of the range, in Unix seconds. */
  readonly from?: number;
  /** End of the range in Unix seconds, exclusive; now by default. */
  readonly to?: number;
  readonly limit?: number;
}

/** The action was not done: another operator must confirm it first. */
export class ApprovalPending extends Error {
  override readonly name = 'ApprovalPending';
  readonly approval: Approval;

  constructor(approval: Approval) {
    super(`another operator must confirm ${approval.action}: ${approval.approvalId}`);
    this.approval = approval;
  }
}

function isAsked(answer: unknown): answer is { readonly approval: Approval } {
  return typeof answer === 'object' && answer !== null && 'approval' in answer;
}

/** A client for an operator, with its own key, whose rights decide what it may do. Changes reject with `ApprovalPending` if the service requires confirmation by a second operator. */
export function createOperatorClient({ key, service, ...options }: OperatorClientOptions) {
  const http = new Http(options);
  const authorization = authorizeOperator(http, key, service);
  const send = async <T>(request: Pick<HttpRequest, 'method' | 'path' | 'query' | 'body' | 'signal'>): Promise<T> => {
    const path = `/admin/v1/${request.path}`;
    const answer = await http.send<T>({ ...request, path, repeatable: 'unaccepted', authorization });
    if (isAsked(answer)) throw new ApprovalPending(answer.approval);
    return answer;
  };
  const get = <T>(path: string, query: Query = {}, { signal }: CallOptions = {}): Promise<T> =>
    send<T>({ method: 'GET', path, query, signal });
  const post = <T>(path: string, body: object, { signal, reason }: ActOptions = {}): Promise<T> =>
    send<T>({ method: 'POST', path, signal, body: { ...body, ...(reason !== undefined && { reason }) } });

  return {
    ...marketActions(post),
    /** The owner and the rights of this key. */
    getOperator: (options?: CallOptions): Promise<OperatorKey> => get('me', {}, options),
    /** Trading controls: what is halted, paused and blocked. */
    getTradingControls: (options?: CallOptions): Promise<TradingControls> => get('trading', {}, options),
    /** Stops or resumes accepting orders anywhere. */
    haltTrading: (halted: boolean, options?: ActOptions): Promise<TradingControls> =>
      post('trading/halt', { halted }, options),
    /** Stops or resumes accepting orders of a wallet. */
    blockWallet: (address: string, blocked: boolean, options?: ActOptions): Promise<BlockedWallet> =>
      post('wallets/block', { address: toAddress('address', address), blocked }, options),
    /** Defines a category, or renames one. */
    defineCategory: (id: string, name: string, options?: ActOptions): Promise<CategoryList> =>
      post('categories', { id, name }, options),
    /** Removes a category; its markets are shown as general. */
    removeCategory: (id: string, { signal }: CallOptions = {}): Promise<CategoryList> =>
      send({ method: 'DELETE', path: `categories/${encodeURIComponent(id)}`, signal }),
    /** Operations that are stuck, and trades that failed. */
    listFailures: (options?: CallOptions): Promise<FailureList> => get('failures', {}, options),
    /** Retries pending operations now; on all chains by default. */
    retryFailures: ({ chainId, ...options }: ActOptions & { readonly chainId?: number } = {}): Promise<RetryResponse> =>
      post('failures/retry', chainId === undefined ? {} : { chainId }, options),
    /** State of the webhooks: events that the receiver has not accepted. */
    getWebhooks: (options?: CallOptions): Promise<WebhookStatus> => get('webhooks', {}, options),
    /** Sends every dead letter again. */
    retryWebhooks: (options?: ActOptions): Promise<WebhookRetryResponse> => post('webhooks/retry', {}, options),
    /** The audit log, newest first. */
    listActions: (query: ActionsQuery = {}, options?: CallOptions): Promise<OperatorActionList> =>
      get('actions', query, options),
    /** Fees that takers paid, by day and market, newest day first; of the last 30 days by default. */
    listRevenue: (query: RevenueQuery = {}, options?: CallOptions): Promise<RevenueList> =>
      get('revenue', query, options),
    /** Actions that wait for a second operator, oldest first. */
    listApprovals: (options?: CallOptions): Promise<ApprovalList> => get('approvals', {}, options),
    /** Confirms a request of another operator, which executes it. */
    confirmApproval: (approvalId: string, options?: CallOptions): Promise<ConfirmedApproval> =>
      post(`approvals/${encodeURIComponent(approvalId)}/confirm`, {}, options),
    /** Rejects a request of an operator. */
    rejectApproval: (approvalId: string, options?: ActOptions): Promise<RejectedApproval> =>
      post(`approvals/${encodeURIComponent(approvalId)}/reject`, {}, options),
    /** Markets that will be created at a set time. */
    listSchedule: (options?: CallOptions): Promise<Schedule> => get('schedule', {}, options),
    /** Cancels a scheduled market that is not created yet. */
    cancelSchedule: (scheduleId: string, { signal }: CallOptions = {}): Promise<Schedule> =>
      send({ method: 'DELETE', path: `schedule/${encodeURIComponent(scheduleId)}`, signal }),
    /** Templates of markets: texts with placeholders. */
    listTemplates: (options?: CallOptions): Promise<MarketTemplateList> => get('templates', {}, options),
    /** Removes a template; its markets stay. */
    removeTemplate: (id: string, { signal }: CallOptions = {}): Promise<MarketTemplateList> =>
      send({ method: 'DELETE', path: `templates/${encodeURIComponent(id)}`, signal }),
    /** Operator keys that are not revoked. */
    listOperatorKeys: (options?: CallOptions): Promise<OperatorKeyList> => get('keys', {}, options),
    /** Adds a key, or changes the rights of one. */
    addOperatorKey: (params: OperatorKeyParams, options?: ActOptions): Promise<AddedOperatorKey> =>
      post('keys', params, options),
    /** Revokes a key; the last one that may manage keys stays. */
    revokeOperatorKey: (keyId: string, { signal }: CallOptions = {}): Promise<OperatorKeyList> =>
      send({ method: 'DELETE', path: `keys/${encodeURIComponent(keyId)}`, signal }),
  };
}

/** Actions on an event apply to all its markets. */
function eventActions(post: Post) {
  const ofEvent = (eventId: string, action: string) => `events/${toBytes32('eventId', eventId)}/${action}`;

  return {
    /** Creates an event on chain. Returns when all its outcomes are listed, or with `listed: false` while the chain is slow. */
    createEvent: (params: OperatorEventParams, options?: ActOptions): Promise<CreatedEvent> =>
      post('events', params, options),
    /** Edits an event: texts until the first trade in any of its markets, category and picture at any time. */
    editEvent: (eventId: string, texts: MarketTextParams, options?: ActOptions): Promise<MarketEvent> =>
      post(ofEvent(eventId, 'texts'), texts, options),
    /** Stops or resumes accepting orders in the markets of an event. */
    pauseEvent: (eventId: string, paused: boolean, options?: ActOptions): Promise<MarketEvent> =>
      post(ofEvent(eventId, 'pause'), { paused }, options),
    /** Ends trading in all markets of an event before the expiration, for good. */
    closeEvent: (eventId: string, options?: ActOptions): Promise<MarketEvent> =>
      post(ofEvent(eventId, 'close'), {}, options),
  };
}

type Post = <T>(path: string, body: object, options?: ActOptions) => Promise<T>;

function marketActions(post: Post) {
  const ofMarket = (marketId: string, action: string) => `markets/${toBytes32('marketId', marketId)}/${action}`;

  return {
    /** Creates a market on chain. Returns when it is listed, or with `listed: false` while the chain is slow. */
    createMarket: (params: OperatorMarketParams, options?: ActOptions): Promise<CreatedMarket> =>
      post('markets', params, options),
    /** The market that would be created; creates nothing. */
    checkMarket: (params: OperatorMarketParams, options?: CallOptions): Promise<CheckedMarket> =>
      post('markets/check', params, options),
    /** Creates a market at a set time; it is hidden until then. */
    scheduleMarket: (
      params: OperatorMarketParams & { readonly listAt: number },
      options?: ActOptions,
    ): Promise<ScheduledMarket> => post('schedule', params, options),
    /** Defines or changes a template of markets. */
    defineTemplate: (template: MarketTemplate, options?: ActOptions): Promise<MarketTemplateList> =>
      post('templates', template, options),
    /** Edits a market: texts until the first trade, category and picture at any time. */
    editMarket: (marketId: string, texts: MarketTextParams, options?: ActOptions): Promise<Market> =>
      post(ofMarket(marketId, 'texts'), texts, options),
    /** Features a market at the top of lists, or stops that. */
    featureMarket: (marketId: string, featured: boolean, options?: ActOptions): Promise<Market> =>
      post(ofMarket(marketId, 'feature'), { featured }, options),
    /** Stops or resumes accepting orders in a market. */
    pauseMarket: (marketId: string, paused: boolean, options?: ActOptions): Promise<Market> =>
      post(ofMarket(marketId, 'pause'), { paused }, options),
    /** Ends trading before the expiration, for good. */
    closeMarket: (marketId: string, options?: ActOptions): Promise<Market> =>
      post(ofMarket(marketId, 'close'), {}, options),
    /** Voids a market that has gone undecided for too long. */
    voidMarket: (marketId: string, options?: ActOptions): Promise<VoidResponse> =>
      post(ofMarket(marketId, 'void'), {}, options),
    ...eventActions(post),
  };
}

export type OperatorClient = ReturnType<typeof createOperatorClient>;

/** Reversible actions are recorded under one kind, with a field for the direction. */
const UNDOING: Readonly<Record<string, { readonly field: string; readonly kind: string }>> = {
  'halt-trading': { field: 'isHalted', kind: 'resume-trading' },
  'pause-market': { field: 'isPaused', kind: 'resume-market' },
  'feature-market': { field: 'isFeatured', kind: 'unfeature-market' },
  'block-wallet': { field: 'isBlocked', kind: 'unblock-wallet' },
};

/** The kind of an action as it is displayed: the audit log records a halt and its end under one kind. */
export function kindOfAction({ kind, action }: Pick<OperatorAction, 'kind' | 'action'>): string {
  const undoing = UNDOING[kind];
  return undoing !== undefined && action[undoing.field] === false ? undoing.kind : kind;
}
