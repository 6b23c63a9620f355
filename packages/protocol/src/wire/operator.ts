// Bodies and answers of the operator's endpoints.
import Type from 'typebox';
import { APPROVABLE_ACTIONS, OPERATOR_RIGHTS } from '../records/operator-records.ts';
import { OutcomeNames } from './events.ts';
import { FEE_RATES } from './fees.ts';
import { CategoryText } from './markets.ts';
import { AddressText, Bytes32Text, FeeRatesInput, PLAIN_TEXT, Uint64, Uint64Input, UnixSeconds } from './scalars.ts';

function textUpTo(maxLength: number, minLength = 0) {
  const length = minLength === 0 ? `at most ${maxLength}` : `${minLength} to ${maxLength}`;
  const description = `a text of ${length} characters, none of them control characters`;
  return Type.String({ pattern: PLAIN_TEXT, minLength, maxLength, description });
}

const ReasonText = textUpTo(500);
const reason = { reason: Type.Optional(ReasonText) };

/** Every visitor's browser loads the image: never over plain http, nor from a path of this service. */
const ImageUrlText = Type.String({
  pattern: '^(https://[^\\s"<>\\\\]{1,500})?$',
  description: 'an https address of at most 508 characters, or nothing',
});

const QuestionText = textUpTo(512, 1);
const DescriptionText = textUpTo(4_096);
const SourceText = textUpTo(512);

const marketFields = {
  description: Type.Optional(DescriptionText),
  source: Type.Optional(SourceText),
  category: Type.Optional(CategoryText),
  imageUrl: Type.Optional(ImageUrlText),
  earlyResolution: Type.Optional(
    Type.Boolean({
      description: 'true or false, whether a result may be proposed before the expiration; false when absent',
    }),
  ),
  ...FeeRatesInput,
  chainId: Type.Optional(
    Type.Integer({ minimum: 1, description: 'the id of a chain of this service; the first when absent' }),
  ),
};

/** A market after its template, if any, was applied. */
export const CompleteMarket = Type.Object({ question: QuestionText, expiration: Uint64Input, ...marketFields });

const TemplateIdText = Type.String({
  pattern: '^[a-z0-9][a-z0-9-]{0,39}$',
  description: 'up to 40 small letters, digits and hyphens',
});

const marketRequest = {
  question: Type.Optional(QuestionText),
  expiration: Type.Optional(Uint64Input),
  ...marketFields,
  template: Type.Optional(TemplateIdText),
  values: Type.Optional(
    Type.Record(Type.String({ pattern: '^[a-zA-Z][a-zA-Z0-9_]{0,39}$' }), textUpTo(512), {
      description: 'an object with a text for each placeholder of the template',
    }),
  ),
  key: Type.Optional(
    Type.String({
      pattern: '^[\\x21-\\x7e]{1,100}$',
      description: '1 to 100 letters, digits and signs without spaces',
    }),
  ),
  draft: Type.Optional(
    Type.Boolean({ description: 'true or false, whether another operator is to confirm it; false when absent' }),
  ),
  ...reason,
};

/** Fields of the request override those of the template. */
export const OperatorMarketInput = Type.Object(marketRequest);
const { template: _, values: __, ...eventRequest } = marketRequest;
export const OperatorEventInput = Type.Object({
  ...eventRequest,
  question: QuestionText,
  expiration: Uint64Input,
  outcomes: OutcomeNames,
});
export const ScheduleMarketInput = Type.Object({ ...marketRequest, listAt: Uint64Input });

export const CheckedMarketAnswer = Type.Object({
  marketId: Bytes32Text,
  created: Type.Boolean({ description: 'true if the key was used before: nothing would be created' }),
  question: Type.String(),
  description: Type.String(),
  source: Type.String(),
  category: Type.String(),
  imageUrl: Type.String(),
  expiration: UnixSeconds,
  chainId: Type.Integer(),
  earlyResolution: Type.Boolean(),
  ...FEE_RATES,
});

export const ScheduledMarket = Type.Object({
  scheduleId: Type.String(),
  listAt: UnixSeconds,
  question: Type.String(),
  expiration: UnixSeconds,
  chainId: Type.Integer(),
  scheduledBy: Type.String({ description: 'the id of the key' }),
});
export const Schedule = Type.Object({ scheduled: Type.Array(ScheduledMarket), count: Type.Integer() });

const templateFields = {
  question: QuestionText,
  description: Type.Optional(DescriptionText),
  source: Type.Optional(SourceText),
  category: Type.Optional(textUpTo(40, 1)),
  imageUrl: Type.Optional(textUpTo(508)),
  expires: Type.Union([Type.Integer({ minimum: 60 }), textUpTo(100, 1)], {
    description: 'seconds after the creation, or a time that may have placeholders, such as {date}T18:00:00Z',
  }),
  earlyResolution: Type.Optional(Type.Boolean({ description: 'true or false' })),
  ...FeeRatesInput,
};
export const TemplateInput = Type.Object({ id: TemplateIdText, ...templateFields, ...reason });
export const Template = Type.Object({ id: TemplateIdText, ...templateFields });
export const TemplateList = Type.Object({ templates: Type.Array(Template), count: Type.Integer() });

export const CreatedMarketAnswer = Type.Object({
  marketId: Bytes32Text,
  listed: Type.Boolean({ description: 'false while the chain is slow: it is listed under this id later' }),
  created: Type.Boolean({ description: 'false if its key was used before: this is the market of then' }),
});

export const CreatedEventAnswer = Type.Object({
  eventId: Bytes32Text,
  listed: Type.Boolean({ description: 'false while the chain is slow: the remaining outcomes are listed later' }),
  created: Type.Boolean({ description: 'false if its key was used before: this is the event of then' }),
});

export const MarketTextsInput = Type.Object({
  question: Type.Optional(QuestionText),
  description: Type.Optional(DescriptionText),
  source: Type.Optional(SourceText),
  category: Type.Optional(CategoryText),
  imageUrl: Type.Optional(ImageUrlText),
  ...reason,
});

export const FeatureInput = Type.Object({ featured: Type.Boolean({ description: 'true or false' }), ...reason });
export const PauseInput = Type.Object({ paused: Type.Boolean({ description: 'true or false' }), ...reason });
export const TradingHaltInput = Type.Object({ halted: Type.Boolean({ description: 'true or false' }), ...reason });
export const ReasonInput = Type.Object({ ...reason });

export const BlockWalletInput = Type.Object({
  address: AddressText,
  blocked: Type.Boolean({ description: 'true or false' }),
  ...reason,
});

export const CategoryInput = Type.Object({ id: CategoryText, name: textUpTo(40, 1), ...reason });

export const RetryInput = Type.Object({
  chainId: Type.Optional(Type.Integer({ minimum: 1, description: 'the id of a chain; all of them when absent' })),
  ...reason,
});

export const WebhookRetryInput = Type.Object(reason);

const RightChoice = Type.Enum([...OPERATOR_RIGHTS], { description: `one of ${OPERATOR_RIGHTS.join(', ')}` });

export const OperatorKeyInput = Type.Object({
  name: textUpTo(100, 1),
  rights: Type.Array(RightChoice, { minItems: 1, uniqueItems: true, description: 'at least one right, each once' }),
  publicKey: Type.Optional(
    Type.String({
      pattern: '^[0-9a-f]{64}$',
      description: 'an Ed25519 public key, 64 hex digits; without it a pair is made and answered once',
    }),
  ),
  ...reason,
});

export const OperatorKey = Type.Object({
  keyId: Type.String(),
  name: Type.String(),
  rights: Type.Array(Type.Enum([...OPERATOR_RIGHTS])),
  fixed: Type.Boolean({ description: 'set in the configuration: it cannot be revoked here' }),
});

export const AddedOperatorKey = Type.Object({
  ...OperatorKey.properties,
  privateKey: Type.Union([Type.String({ pattern: '^[0-9a-f]{64}$' }), Type.Null()], {
    description: 'Ed25519 seed, shown once; null where the public half was given',
  }),
});

export const OperatorKeyList = Type.Object({ keys: Type.Array(OperatorKey), count: Type.Integer() });

const StoppedMarket = Type.Object({
  marketId: Bytes32Text,
  question: Type.String(),
  reason: Type.String(),
  onChain: Type.Optional(Type.Literal(true, { description: 'only the owner of the contracts resumes it, on chain' })),
});
const BlockedWallet = Type.Object({ address: AddressText, reason: Type.String() });

export const TradingControls = Type.Object({
  halted: Type.Boolean(),
  reason: Type.Union([Type.String(), Type.Null()]),
  pausedMarkets: Type.Array(StoppedMarket),
  blockedWallets: Type.Array(BlockedWallet),
});

export const BlockedWalletAnswer = Type.Object({
  address: AddressText,
  blocked: Type.Boolean(),
  cancelledOrders: Type.Integer({ description: 'open orders of the wallet that left the book' }),
});

export const VoidAnswer = Type.Object({ marketId: Bytes32Text, operationId: Type.String() });

const ChainFailures = Type.Object({
  chainId: Type.Integer(),
  waitingTrades: Type.Integer({ description: 'trades that wait to be sent' }),
  oldestSeconds: Type.Union([Type.Number(), Type.Null()], { description: 'how long the oldest unsettled trade waits' }),
  attempts: Type.Integer({ description: 'failed attempts in a row' }),
  reason: Type.Union([Type.String(), Type.Null()], { description: 'why the last attempt failed' }),
  nextTryMs: Type.Union([Type.Integer(), Type.Null()], {
    description: 'Unix milliseconds; null while none is planned',
  }),
  refusedBatches: Type.Integer({ description: 'since the start' }),
  stuckSenders: Type.Array(Type.String(), { description: 'accounts whose next transaction is stuck' }),
  alarms: Type.Array(Type.String()),
});

const FailedTrade = Type.Object({
  tradeId: Type.String(),
  marketId: Bytes32Text,
  faultParty: Type.String(),
  reason: Type.String(),
  failedAt: UnixSeconds,
});

export const FailureList = Type.Object({
  chains: Type.Array(ChainFailures),
  trades: Type.Array(FailedTrade, { description: 'of the last day, newest first; these are final' }),
  count: Type.Integer(),
});

export const RetryAnswer = Type.Object({
  chains: Type.Array(Type.Integer(), { description: 'chains that try again now' }),
});

export const DeadWebhook = Type.Object({
  id: Type.String({ description: 'the same at every attempt' }),
  topic: Type.String(),
  seq: Type.Integer(),
  data: Type.Record(Type.String(), Type.Unknown()),
  reason: Type.String({ description: 'why the last attempt failed' }),
  givenUpAt: UnixSeconds,
});

export const WebhookStatus = Type.Object({
  enabled: Type.Boolean({ description: 'whether a receiver is set' }),
  deadLetters: Type.Array(DeadWebhook, { description: 'events that the receiver did not take, oldest first' }),
  count: Type.Integer(),
});

export const WebhookRetryAnswer = Type.Object({
  sent: Type.Integer({ description: 'dead letters that the receiver has taken now' }),
  left: Type.Integer({ description: 'those that failed again' }),
});

export const Approval = Type.Object({
  approvalId: Type.String({ pattern: '^ap_[0-9a-f]{24}$' }),
  action: Type.Enum([...APPROVABLE_ACTIONS]),
  operation: Type.String({ description: 'the operationId of the endpoint that was called' }),
  params: Type.Record(Type.String(), Type.String(), { description: 'of its path' }),
  body: Type.Record(Type.String(), Type.Unknown(), { description: 'as it was sent' }),
  requestedBy: Type.String({ description: 'the id of the key' }),
  requestedByName: Type.Union([Type.String(), Type.Null()]),
  reason: Type.String(),
  requestedAt: UnixSeconds,
  expiresAt: UnixSeconds,
});
/** The answer to an action that a second operator must confirm. */
export const ApprovalAsked = Type.Object({ approval: Approval });
export const ApprovalList = Type.Object({ approvals: Type.Array(Approval), count: Type.Integer() });
export const ConfirmedApproval = Type.Object({
  approvalId: Type.String(),
  action: Type.String(),
  result: Type.Unknown({ description: 'the answer of the endpoint that was called first' }),
});
export const RejectedApproval = Type.Object({ approvalId: Type.String(), rejected: Type.Literal(true) });

export const OperatorActionEntry = Type.Object({
  seq: Type.Integer({ description: 'of the record in the control partition' }),
  time: UnixSeconds,
  actor: Type.String({ description: 'the id of the key' }),
  actorName: Type.Union([Type.String(), Type.Null()]),
  kind: Type.String(),
  subject: Type.Union([Type.String(), Type.Null()], { description: 'the market, wallet, key or category' }),
  reason: Type.String(),
  action: Type.Record(Type.String(), Type.Unknown()),
});

export const OperatorActionList = Type.Object({
  actions: Type.Array(OperatorActionEntry),
  count: Type.Integer(),
  nextCursor: Type.Union([Type.String(), Type.Null()]),
});

export const RevenueLine = Type.Object({
  day: Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$', description: 'in UTC' }),
  marketId: Bytes32Text,
  chainId: Type.Integer(),
  question: Type.String(),
  trades: Type.Integer({ description: 'that were charged' }),
  volume: Uint64,
  fees: Uint64,
  makerRebates: Uint64,
  revenue: Type.Union([Type.Integer(), Type.BigInt()], { description: 'fees less rebates' }),
  settled: Type.Union([Type.Integer(), Type.BigInt()], { description: 'the part of it that the chain has settled' }),
});

export const RevenueList = Type.Object({
  from: UnixSeconds,
  to: UnixSeconds,
  revenue: Type.Array(RevenueLine, { description: 'newest day first, in it the most revenue first' }),
  count: Type.Integer(),
});
