// `presage doctor`: checks everything a working exchange needs, and says how to fix what is wrong.

import { statfs } from 'node:fs/promises';
import { messageOf } from '@presage/runtime';
import { createPublicClient, type ServiceConfig, type ServiceStatus } from '@presage/sdk';
import type { Finding } from '../chain-findings.ts';
import { type Call, command, option } from '../command-spec.ts';
import type { Context } from '../context.ts';
import { drawDuration } from '../durations.ts';
import { UnsoundError } from '../exit-codes.ts';
import { type DataDirOption, JournalDir } from '../journal/journal-dir.ts';
import { isReadableByOthers, type Wallet, walletFromEnvironment } from '../key-files.ts';
import { plain } from '../output.ts';
import type { Colors } from '../table.ts';
import { drawAmount } from '../values.ts';
import { DATA_DIR } from './journal.ts';

export const DOCTOR = command(
  'doctor',
  'check service, clock, chain, database, wallet, disk and chains file, with remedies',
  doctor,
  DATA_DIR,
  option('--chains <file>', 'chains file of a live service, checked as at its start (PRESAGE_CHAINS)'),
);

async function doctor({ context, options }: Call<DoctorOptions>): Promise<void> {
  const findings: Finding[] = [];
  for await (const finding of examine(context, options)) findings.push(finding);
  const isSound = findings.every(({ verdict }) => verdict !== 'bad');
  context.output.show({ sound: isSound, url: context.url, checks: findings }, () => draw(findings, context));
  if (!isSound) throw new UnsoundError('a check failed');
}

function draw(findings: readonly Finding[], { output }: Context): string {
  return findings
    .map(({ check, verdict, detail, remedy }) => {
      const line = `${sign(verdict, output.colors)} ${check.padEnd(9)} ${detail}`;
      return remedy === undefined ? line : `${line}\n${' '.repeat(13)}${output.colors.yellow(remedy)}`;
    })
    .join('\n');
}

function sign(verdict: Finding['verdict'], colors: Colors): string {
  if (verdict === 'good') return colors.green('ok ');
  return verdict === 'odd' ? colors.yellow('?  ') : colors.red('BAD');
}

interface CheckContext {
  readonly context: Context;
  readonly config: ServiceConfig;
  readonly status: ServiceStatus;
}

const CLOCK_DRIFT_MS = 5_000;
const VIEW_LAG = 10_000;
const GIGABYTE = 1_000_000_000;
/** A full disk stops the service: a journal segment is 64 MB, and PostgreSQL needs space too. */
const DISK_LOW_BYTES = GIGABYTE;
const DISK_FULL_BYTES = GIGABYTE / 5;

interface DoctorOptions extends DataDirOption {
  readonly chains?: string;
}

async function* examine(context: Context, options: DoctorOptions): AsyncGenerator<Finding> {
  const reached = await connect(context, options);
  if ('check' in reached) yield reached;
  else {
    yield service(reached);
    yield await clock(reached);
    yield* chains(reached);
    yield database(reached);
    yield* dependencies(reached);
    yield await wallet(reached);
  }
  yield await disk(context, options);
  const chainsFile = options.chains ?? context.env.PRESAGE_CHAINS;
  if (!chainsFile) return;
  // Loaded when needed: it brings every contract along.
  const { examineChainsFile } = await import('../chain-findings.ts');
  yield* examineChainsFile(chainsFile, context.env);
}

/** With a chains file to check, an unreachable service is not a fault: there may be none yet. */
async function connect(context: Context, options: DoctorOptions): Promise<CheckContext | Finding> {
  // Retries would hide what the doctor wants to see.
  const reader = createPublicClient({ url: context.url, retries: 0, timeoutMs: 10_000 });
  try {
    const [config, status] = await Promise.all([reader.getConfig(), reader.getStatus()]);
    return { context, config, status };
  } catch (error) {
    const remedy =
      'Start it with `presage serve`, a sandbox with `presage start`; or name the right address with --url or PRESAGE_URL.';
    const verdict = options.chains === undefined ? 'bad' : 'odd';
    return { check: 'service', verdict, detail: messageOf(error), remedy };
  }
}

function service({ context, config, status }: CheckContext): Finding {
  const { service: name, version, sandbox, authRequired } = config;
  const kind = `${sandbox ? 'sandbox' : 'live'}, API keys ${authRequired ? 'needed' : 'not needed'}`;
  const { p99 } = status.latency.acceptMs;
  const detail = `${plain(name)} ${plain(version)} at ${context.url} (${kind}), accepts in ${p99.toFixed(1)} ms at the 99th percentile`;
  return { check: 'service', verdict: 'good', detail };
}

async function clock({ context, config }: CheckContext): Promise<Finding> {
  const asked = Date.now();
  const { nowMs } = await context.reader.getTime({ signal: context.signal });
  const driftMs = nowMs - (asked + Date.now()) / 2;
  const drift = `${drawDuration(Math.round(Math.abs(driftMs) / 1_000))} ${driftMs < 0 ? 'behind' : 'ahead of'} this machine`;
  if (Math.abs(driftMs) < CLOCK_DRIFT_MS) return { check: 'clock', verdict: 'good', detail: 'same as on this machine' };
  if (config.sandbox && driftMs > 0)
    return { check: 'clock', verdict: 'good', detail: `${drift}: the sandbox's clock was moved` };
  const remedy = 'Set both clocks by NTP: the service judges orders and tokens by its own clock.';
  return { check: 'clock', verdict: 'bad', detail: drift, remedy };
}

/** One finding for each chain: an unreachable chain does not affect the others. */
function chains({ config, status }: CheckContext): Finding[] {
  return status.chains.map((chain) => judgeChain(chain, config.sandbox));
}

function judgeChain(chain: ServiceStatus['chains'][number], isSandbox: boolean): Finding {
  const { chainId, name, up, block } = chain;
  const { waiting, batchesInFlight } = chain.settlementQueue;
  const queue = `${waiting} trades waiting, ${batchesInFlight} batches in flight`;
  if (chain.problem !== undefined) {
    const why = chain.problem.detail ?? `${plain(name)} (${chainId}) is ${chain.problem.kind} and left out`;
    const remedy = 'Check it with `presage doctor --chains FILE`; the service adds it once it works.';
    return { check: 'chain', verdict: 'bad', detail: plain(why), remedy };
  }
  if (up) return { check: 'chain', verdict: 'good', detail: `${plain(name)} (${chainId}) at block ${block}, ${queue}` };
  const remedy = isSandbox
    ? `In a sandbox: POST /sandbox/faults {"chain":"up","chainId":${chainId}}, or restart it. Orders match meanwhile; nothing is lost.`
    : 'Check the RPC address of the chain. Orders match meanwhile and settle once it is reachable.';
  return { check: 'chain', verdict: 'bad', detail: `${plain(name)} is unreachable, ${queue}`, remedy };
}

function database({ status }: CheckContext): Finding {
  // The shape of the status's database entry, as the API document describes it.
  const facts = (status.dependencies.database ?? { up: false }) as { up: boolean; lag?: number; trouble?: string };
  const { up, lag, trouble } = facts;
  if (!up) {
    const remedy = 'Check PostgreSQL; orders work without it, and it catches up from the journal once it is reachable.';
    return { check: 'database', verdict: 'bad', detail: 'unreachable', remedy };
  }
  if (trouble !== undefined) {
    const remedy = 'See "Lists are missing" in docs/operations.md; orders work meanwhile.';
    return { check: 'database', verdict: 'bad', detail: plain(trouble), remedy };
  }
  const isFar = (lag ?? 0) > VIEW_LAG;
  const detail = `up, ${lag ?? 0} records behind the journal`;
  return {
    check: 'database',
    verdict: isFar ? 'odd' : 'good',
    detail,
    ...(isFar && { remedy: 'Wait until it has caught up.' }),
  };
}

/** The service's other dependencies, as it reports them. */
function* dependencies({ status }: CheckContext): Generator<Finding> {
  for (const [name, { up }] of Object.entries(status.dependencies)) {
    if (name === 'chain' || name === 'database') continue;
    const remedy = 'See the log of the service.';
    yield { check: plain(name), verdict: up ? 'good' : 'bad', detail: up ? 'up' : 'down', ...(!up && { remedy }) };
  }
}

async function wallet({ context, config }: CheckContext): Promise<Finding> {
  const found = walletFromEnvironment(context.env) ?? (await context.keyFiles.readWallet(context.walletName));
  if (found === undefined) {
    return { check: 'wallet', verdict: 'odd', detail: 'none yet', remedy: 'Create one with `presage wallet new`.' };
  }
  if (found.path !== undefined && (await isReadableByOthers(found.path))) {
    const detail = `other users of this machine can read ${found.path}`;
    return { check: 'wallet', verdict: 'bad', detail, remedy: `chmod 600 ${found.path}` };
  }
  return money(context, config, found);
}

async function money(context: Context, config: ServiceConfig, { account }: Wallet): Promise<Finding> {
  const query = { chain_id: config.chains[0]?.chainId ?? 0 };
  try {
    const { balance, available } = await context.reader.getBalances(account.address, query, { signal: context.signal });
    const detail = `${account.address} has ${drawAmount(balance)}, ${drawAmount(available)} of it free`;
    if (BigInt(balance) > 0n) return { check: 'wallet', verdict: 'good', detail };
    const remedy = config.sandbox ? 'Fund it with `presage wallet fund`.' : 'Send stablecoin to it.';
    return { check: 'wallet', verdict: 'odd', detail, remedy };
  } catch (error) {
    const remedy = 'Balances come from the chain: see its check above.';
    return { check: 'wallet', verdict: 'odd', detail: `${account.address}: ${messageOf(error)}`, remedy };
  }
}

async function disk(context: Context, options: DataDirOption): Promise<Finding> {
  const journal = await JournalDir.open(options, context.env).catch(() => undefined);
  if (journal === undefined) {
    const remedy = 'On the machine of the service, name its data directory with --data-dir.';
    return { check: 'disk', verdict: 'odd', detail: 'no data directory on this machine', remedy };
  }
  const { bavail, bsize } = await statfs(journal.dir);
  const free = bavail * bsize;
  const detail = `${(free / GIGABYTE).toFixed(1)} GB free at ${journal.dir}`;
  if (free >= DISK_LOW_BYTES) return { check: 'disk', verdict: 'good', detail };
  const remedy = 'Free some space before it is full: the service stops rather than lose a write.';
  return { check: 'disk', verdict: free < DISK_FULL_BYTES ? 'bad' : 'odd', detail, remedy };
}
