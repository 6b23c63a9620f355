// `presage admin`: what operators do, with a key of theirs.
import type { FailureList, OperatorAction, OperatorKey, OperatorRight, TradingControls } from '@presage/sdk';
import type { Command } from 'commander';
import type { Act, Call } from '../act.ts';
import { drawTime } from '../durations.ts';
import { makeOperatorKey, openOperator } from '../operator-access.ts';
import { plain } from '../output.ts';
import { type Column, drawFacts, drawTable } from '../table.ts';
import { parseWhole } from '../whole-number.ts';
import { addAdminMarkets } from './admin-markets.ts';

interface Reasoned {
  readonly reason?: string;
}

const REASON = ['--reason <text>', 'why, for the audit log'] as const;

const ACTIONS: readonly Column<OperatorAction>[] = [
  { title: 'TIME (UTC)', cell: ({ time }) => drawTime(time) },
  { title: 'WHO', cell: ({ actor, actorName }) => plain(actorName ?? actor) },
  { title: 'WHAT', cell: ({ kind }) => kind },
  { title: 'ON', cell: ({ subject }) => (subject ?? '-').slice(0, 14) },
  { title: 'WHY', cell: ({ reason }) => plain(reason) },
];
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

export function addAdmin(program: Command, act: Act): void {
  const admin = program
    .command('admin')
    .description('for operators: PRESAGE_OPERATOR_KEY is the key, PRESAGE_ADMIN_URL where the admin listener is');
  admin.command('me').description('whose key this is, and what it may do').action(act(showMe));
  addAdminMarkets(admin, act);
  admin
    .command('halt')
    .description('take no orders anywhere; cancels stay open')
    .option(...REASON)
    .action(act<Reasoned>((call) => halt(call, true)));
  admin
    .command('resume')
    .description('take orders again')
    .option(...REASON)
    .action(act<Reasoned>((call) => halt(call, false)));
  admin.command('stopped').description('what is halted, paused and blocked').action(act(showStopped));
  admin
    .command('block <wallet>')
    .description('take no orders of a wallet, and cancel those it has')
    .option(...REASON)
    .action(act<Reasoned>((call) => block(call, true)));
  admin
    .command('unblock <wallet>')
    .description('take orders of a wallet again')
    .option(...REASON)
    .action(act<Reasoned>((call) => block(call, false)));
  admin
    .command('failures')
    .description('operations that are stuck, by chain, and trades that failed')
    .action(act(listFailures));
  admin
    .command('retry')
    .description('try again now what waits for its next attempt')
    .option('--chain <id>', 'only on this chain')
    .option(...REASON)
    .action(act<Reasoned & { readonly chain?: string }>(retry));
  admin
    .command('log')
    .description('the audit log: who did what, newest first')
    .option('--subject <id>', 'only of this market, wallet, key or category')
    .option('--limit <count>', 'how many (100)')
    .action(act<LogOptions>(showLog));
  addKeys(admin, act);
}

function addKeys(admin: Command, act: Act): void {
  const keys = admin.command('keys').description('the keys of operators').action(act(listKeys));
  keys
    .command('new')
    .description('make a pair here; register its public half with `add`, or in PRESAGE_OPERATOR_KEYS')
    .action(act(newKey));
  keys
    .command('add <name> <publicKey>')
    .description('let a key act, or change what it may')
    .requiredOption('--rights <rights>', 'some of read,markets,trading,wallets,keys')
    .option(...REASON)
    .action(act<Reasoned & { readonly rights: string }>(addKey));
  keys.command('revoke <id>').description('end a key').action(act(revokeKey));
}

async function showMe({ context }: Call<object>): Promise<void> {
  const me = await (await openOperator(context)).getOperator({ signal: context.signal });
  context.output.show(me, () =>
    drawFacts({ key: me.keyId, name: plain(me.name), rights: me.rights.join(' ') }, context.output.colors),
  );
}

async function halt({ context, options: { reason } }: Call<Reasoned>, halted: boolean): Promise<void> {
  const controls = await (await openOperator(context)).haltTrading(halted, { reason, signal: context.signal });
  context.output.show(controls, () => drawControls(controls));
}

async function showStopped({ context }: Call<object>): Promise<void> {
  const controls = await (await openOperator(context)).getTradingControls({ signal: context.signal });
  context.output.show(controls, () => drawControls(controls));
}

function drawControls({ halted, reason, pausedMarkets, blockedWallets }: TradingControls): string {
  const because = (why: string | null) => (why ? `: ${plain(why)}` : '');
  return [
    halted ? `trading is halted${because(reason)}` : 'trading is open',
    ...pausedMarkets.map(
      (market) => `paused ${market.marketId.slice(0, 12)}  ${plain(market.question)}${because(market.reason)}`,
    ),
    ...blockedWallets.map((wallet) => `blocked ${wallet.address}${because(wallet.reason)}`),
  ].join('\n');
}

async function block({ context, args: [wallet = ''], options }: Call<Reasoned>, blocked: boolean): Promise<void> {
  const operator = await openOperator(context);
  const answer = await operator.blockWallet(wallet, blocked, { reason: options.reason, signal: context.signal });
  context.output.show(answer, () =>
    blocked
      ? `${answer.address} is blocked; ${answer.cancelledOrders} of its orders were cancelled`
      : `${answer.address} may place orders again`,
  );
}

async function listFailures({ context }: Call<object>): Promise<void> {
  const failures = await (await openOperator(context)).listFailures({ signal: context.signal });
  const trades = failures.trades.map(
    ({ tradeId, failedAt, faultParty, reason }) => `${drawTime(failedAt)}  ${tradeId}  ${faultParty}: ${plain(reason)}`,
  );
  const table = { columns: CHAINS, rows: failures.chains, empty: 'no chain' };
  context.output.show(failures, () => [drawTable(table, context.output.colors), ...trades].join('\n'));
}

async function retry({ context, options }: Call<Reasoned & { readonly chain?: string }>): Promise<void> {
  const { chain, reason } = options;
  const operator = await openOperator(context);
  const chosen = chain === undefined ? {} : { chainId: parseWhole('--chain', chain) };
  const answer = await operator.retryFailures({ ...chosen, reason, signal: context.signal });
  context.output.show(answer, () => `chain ${answer.chains.join(', ')}: trying again now`);
}

interface LogOptions {
  readonly subject?: string;
  readonly limit?: string;
}

async function showLog({ context, options: { subject, limit } }: Call<LogOptions>): Promise<void> {
  const query = {
    ...(subject !== undefined && { subject }),
    ...(limit !== undefined && { limit: parseWhole('--limit', limit) }),
  };
  const log = await (await openOperator(context)).listActions(query, { signal: context.signal });
  const table = { columns: ACTIONS, rows: log.actions, empty: 'nobody did anything' };
  context.output.show(log, () => drawTable(table, context.output.colors));
}

async function listKeys({ context }: Call<object>): Promise<void> {
  const list = await (await openOperator(context)).listOperatorKeys({ signal: context.signal });
  const table = { columns: KEYS, rows: list.keys, empty: 'no key' };
  context.output.show(list, () => drawTable(table, context.output.colors));
}

async function newKey({ context }: Call<object>): Promise<void> {
  const pair = makeOperatorKey();
  context.output.note('keep the private key: it is shown once and stored nowhere');
  context.output.show(pair, () =>
    drawFacts({ id: pair.keyId, 'public key': pair.publicKey, 'private key': pair.privateKey }, context.output.colors),
  );
}

async function addKey({ context, args, options }: Call<Reasoned & { readonly rights: string }>): Promise<void> {
  const [name = '', publicKey = ''] = args;
  // The service refuses others and names those that there are.
  const rights = options.rights.split(',').map((right) => right.trim()) as OperatorRight[];
  const operator = await openOperator(context);
  const act = { reason: options.reason, signal: context.signal };
  const added = await operator.addOperatorKey({ name, rights, publicKey: publicKey.toLowerCase() }, act);
  context.output.show(added, () => `${added.keyId} may: ${added.rights.join(' ')}`);
}

async function revokeKey({ context, args: [id = ''] }: Call<object>): Promise<void> {
  const list = await (await openOperator(context)).revokeOperatorKey(id, { signal: context.signal });
  context.output.show(list, () => `${plain(id)} is revoked`);
}
