// `presage admin`: commands of operators, signed with an operator key.
import type {
  FailureList,
  OperatorAction,
  OperatorKey,
  OperatorRight,
  RevenueList,
  TradingControls,
  WebhookStatus,
} from '@presage/sdk';
import { kindOfAction } from '@presage/sdk/operator';
import { type Call, type CommandSpec, command, option, REASON, type Reasoned, required } from '../command-spec.ts';
import { drawTime } from '../durations.ts';
import { shortId } from '../find-market.ts';
import { makeOperatorKey, openOperator } from '../operator-access.ts';
import { plain } from '../output.ts';
import { type Column, drawTable } from '../table.ts';
import { chainOf, definedOnly, drawAmount, parseWhole } from '../values.ts';
import { APPROVAL_COMMANDS } from './admin-approvals.ts';
import { SCHEDULE, TEMPLATES } from './admin-bulk.ts';
import { ADMIN_MARKETS, CATEGORIES } from './admin-markets.ts';
import { ADMIN_EXPORT } from './export.ts';

const ACTIONS: readonly Column<OperatorAction>[] = [
  { title: 'TIME (UTC)', cell: ({ time }) => drawTime(time) },
  { title: 'WHO', cell: drawActors },
  { title: 'WHAT', cell: kindOfAction },
  { title: 'ON', cell: ({ subject }) => (subject ?? '-').slice(0, 14) },
  { title: 'WHY', cell: ({ reason }) => plain(reason) },
];

/** The operator who asked for the action, and the one who confirmed it. */
function drawActors({ actor, actorName, action }: OperatorAction): string {
  const { approval } = action;
  const isConfirmed = typeof approval === 'object' && approval !== null && 'by' in approval;
  return plain(`${actorName ?? actor}${isConfirmed ? `, ${approval.by}` : ''}`);
}

const KEYS: readonly Column<OperatorKey>[] = [
  { title: 'ID', cell: ({ keyId }) => keyId },
  { title: 'NAME', cell: ({ name }) => plain(name) },
  { title: 'RIGHTS', cell: ({ rights }) => rights.join(' ') },
  { title: 'SET IN', cell: ({ fixed }) => (fixed ? 'the configuration' : 'the interface') },
];
const CHAINS: readonly Column<FailureList['chains'][number]>[] = [
  { title: 'CHAIN', cell: ({ chainId }) => String(chainId) },
  { title: 'WAITING', cell: ({ waitingTrades }) => String(waitingTrades), isFigure: true },
  { title: 'OLDEST', cell: ({ oldestSeconds }) => (oldestSeconds === null ? '-' : `${Math.round(oldestSeconds)} s`) },
  { title: 'ATTEMPTS', cell: ({ attempts }) => String(attempts), isFigure: true },
  { title: 'ALARMS', cell: ({ alarms, stuckSenders }) => [...alarms, ...stuckSenders].join(' ') || '-' },
  { title: 'REASON', cell: ({ reason }) => plain(reason ?? '-') },
];

const KEY_COMMANDS: CommandSpec = {
  name: 'keys',
  text: 'list operator keys',
  run: listKeys,
  commands: [
    command(
      'new',
      'generate a key pair on this machine; register its public half with `add` or in PRESAGE_OPERATOR_KEYS',
      newKey,
    ),
    command(
      'add <name> <publicKey>',
      'add a key, or change its rights',
      addKey,
      required('--rights <rights>', 'some of read,markets,trading,wallets,keys'),
      REASON,
    ),
    command('revoke <id>', 'revoke a key', revokeKey),
  ],
};

const DEAD: readonly Column<WebhookStatus['deadLetters'][number]>[] = [
  { title: 'GIVEN UP (UTC)', cell: ({ givenUpAt }) => drawTime(givenUpAt) },
  { title: 'ID', cell: ({ id }) => plain(id) },
  { title: 'REASON', cell: ({ reason }) => plain(reason) },
];

const WEBHOOKS: CommandSpec = {
  name: 'webhooks',
  text: 'list webhook events that the receiver did not accept',
  run: showWebhooks,
  commands: [command('retry', 'send all of these events again', retryWebhooks, REASON)],
};

export const ADMIN: CommandSpec = {
  name: 'admin',
  text: 'commands of operators; PRESAGE_OPERATOR_KEY is the key, PRESAGE_ADMIN_URL the URL of the admin listener',
  commands: [
    command('me', 'show the operator key in use and its rights', showMe),
    ADMIN_MARKETS,
    TEMPLATES,
    SCHEDULE,
    CATEGORIES,
    command('halt', 'refuse new orders everywhere; cancels are still accepted', halt(true), REASON),
    command('resume', 'accept orders again', halt(false), REASON),
    command('stopped', 'list halts, paused markets and blocked wallets', showStopped),
    command('block <wallet>', 'refuse orders of a wallet and cancel its open ones', block(true), REASON),
    command('unblock <wallet>', 'accept orders of a wallet again', block(false), REASON),
    command('failures', 'list operations that are stuck, by chain, and trades that failed', listFailures),
    command(
      'retry',
      'retry all waiting operations immediately',
      retry,
      option('--chain <id>', 'only on this chain'),
      REASON,
    ),
    command(
      'log',
      'show the audit log: who did what, newest first',
      showLog,
      option('--subject <id>', 'only actions on this market, wallet, key or category'),
      option('--limit <count>', 'number of entries (100)'),
    ),
    command(
      'revenue',
      'show taker fees by day and market, newest day first',
      showRevenue,
      option('--days <count>', 'number of days to show (30)'),
    ),
    ...APPROVAL_COMMANDS,
    ADMIN_EXPORT,
    WEBHOOKS,
    KEY_COMMANDS,
  ],
};

async function showMe({ context }: Call): Promise<void> {
  const me = await (await openOperator(context)).getOperator({ signal: context.signal });
  context.output.showFacts(me, { key: me.keyId, name: plain(me.name), rights: me.rights.join(' ') });
}

function halt(halted: boolean) {
  return async ({ context, options: { reason } }: Call<Reasoned>): Promise<void> => {
    const controls = await (await openOperator(context)).haltTrading(halted, { reason, signal: context.signal });
    context.output.show(controls, () => drawControls(controls));
  };
}

async function showStopped({ context }: Call): Promise<void> {
  const controls = await (await openOperator(context)).getTradingControls({ signal: context.signal });
  context.output.show(controls, () => drawControls(controls));
}

function drawControls({ halted, reason, pausedMarkets, blockedWallets }: TradingControls): string {
  const because = (why: string | null) => (why ? `: ${plain(why)}` : '');
  return [
    halted ? `trading is halted${because(reason)}` : 'trading is open',
    ...pausedMarkets.map(
      (market) => `paused ${shortId(market.marketId)}  ${plain(market.question)}${because(market.reason)}`,
    ),
    ...blockedWallets.map((wallet) => `blocked ${wallet.address}${because(wallet.reason)}`),
  ].join('\n');
}

function block(blocked: boolean) {
  return async ({ context, args: [wallet = ''], options: { reason } }: Call<Reasoned>): Promise<void> => {
    const operator = await openOperator(context);
    const answer = await operator.blockWallet(wallet, blocked, { reason, signal: context.signal });
    const { address, cancelledOrders } = answer;
    const effect = `is blocked; ${cancelledOrders} of its orders were cancelled`;
    context.output.show(answer, () => `${address} ${blocked ? effect : 'may place orders again'}`);
  };
}

async function listFailures({ context }: Call): Promise<void> {
  const failures = await (await openOperator(context)).listFailures({ signal: context.signal });
  const trades = failures.trades.map(
    ({ tradeId, failedAt, faultParty, reason }) => `${drawTime(failedAt)}  ${tradeId}  ${faultParty}: ${plain(reason)}`,
  );
  const table = { columns: CHAINS, rows: failures.chains, empty: 'no chains' };
  context.output.show(failures, () => [drawTable(table, context.output.colors), ...trades].join('\n'));
}

async function retry({ context, options }: Call<Reasoned & { readonly chain?: string }>): Promise<void> {
  const act = { ...chainOf(options), reason: options.reason, signal: context.signal };
  const answer = await (await openOperator(context)).retryFailures(act);
  context.output.show(answer, () => `chain ${answer.chains.join(', ')}: retrying now`);
}

async function showWebhooks({ context }: Call): Promise<void> {
  const status = await (await openOperator(context)).getWebhooks({ signal: context.signal });
  const empty = status.enabled
    ? 'the receiver has accepted every event'
    : 'no receiver is configured (PRESAGE_WEBHOOK_URL)';
  context.output.showTable(status, { columns: DEAD, rows: status.deadLetters, empty });
}

async function retryWebhooks({ context, options: { reason } }: Call<Reasoned>): Promise<void> {
  const answer = await (await openOperator(context)).retryWebhooks({ reason, signal: context.signal });
  context.output.show(answer, () => `${answer.sent} sent, ${answer.left} failed again`);
}

interface LogOptions {
  readonly subject?: string;
  readonly limit?: string;
}

async function showLog({ context, options: { subject, limit } }: Call<LogOptions>): Promise<void> {
  const query = definedOnly({ subject, limit: limit === undefined ? undefined : parseWhole('--limit', limit) });
  const log = await (await openOperator(context)).listActions(query, { signal: context.signal });
  context.output.showTable(log, { columns: ACTIONS, rows: log.actions, empty: 'no actions' });
}

const REVENUE: readonly Column<RevenueList['revenue'][number]>[] = [
  { title: 'DAY (UTC)', cell: ({ day }) => day },
  { title: 'MARKET', cell: ({ question }) => plain(question).slice(0, 40) },
  { title: 'TRADES', cell: ({ trades }) => String(trades), isFigure: true },
  { title: 'VOLUME', cell: ({ volume }) => drawAmount(volume), isFigure: true },
  { title: 'FEES', cell: ({ fees }) => drawAmount(fees), isFigure: true },
  { title: 'TO MAKERS', cell: ({ makerRebates }) => drawAmount(makerRebates), isFigure: true },
  { title: 'REVENUE', cell: ({ revenue }) => drawAmount(revenue), isFigure: true },
  { title: 'SETTLED', cell: ({ settled }) => drawAmount(settled), isFigure: true },
];
const DAY_SECONDS = 86_400;

async function showRevenue({ context, options: { days } }: Call<{ readonly days?: string }>): Promise<void> {
  const count = days === undefined ? undefined : parseWhole('--days', days, 1);
  const operator = await openOperator(context);
  const from = count === undefined ? undefined : Math.floor(Date.now() / 1_000) - count * DAY_SECONDS;
  const list = await operator.listRevenue(definedOnly({ from }), { signal: context.signal });
  context.output.showTable(list, { columns: REVENUE, rows: list.revenue, empty: 'no market has charged a fee' });
  const sum = list.revenue.reduce((total, { revenue }) => total + BigInt(revenue), 0n);
  if (list.count > 0) context.output.note(`total ${drawAmount(sum)}`);
}

async function listKeys({ context }: Call): Promise<void> {
  const list = await (await openOperator(context)).listOperatorKeys({ signal: context.signal });
  context.output.showTable(list, { columns: KEYS, rows: list.keys, empty: 'no keys' });
}

async function newKey({ context }: Call): Promise<void> {
  const pair = makeOperatorKey();
  context.output.note('keep the private key: it is shown once and stored nowhere');
  const { keyId: id, publicKey, privateKey } = pair;
  context.output.showFacts(pair, { id, 'public key': publicKey, 'private key': privateKey });
}

async function addKey({ context, args, options }: Call<Reasoned & { readonly rights: string }>): Promise<void> {
  const [name = '', publicKey = ''] = args;
  // The service refuses unknown rights and lists the valid ones.
  const rights = options.rights.split(',').map((right) => right.trim()) as OperatorRight[];
  const operator = await openOperator(context);
  const act = { reason: options.reason, signal: context.signal };
  const added = await operator.addOperatorKey({ name, rights, publicKey: publicKey.toLowerCase() }, act);
  context.output.show(added, () => `${added.keyId} may: ${added.rights.join(' ')}`);
}

async function revokeKey({ context, args: [id = ''] }: Call): Promise<void> {
  const list = await (await openOperator(context)).revokeOperatorKey(id, { signal: context.signal });
  context.output.show(list, () => `${plain(id)} is revoked`);
}
