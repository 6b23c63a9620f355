// `presage wallet`: the user's keys, balances and allowances.
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { isObject, parseJson } from '@presage/protocol';
import type { Command } from 'commander';
import type { Act, Call } from '../act.ts';
import { UsageError } from '../exit-codes.ts';
import { walletFromEnvironment } from '../key-files.ts';
import { drawFacts } from '../table.ts';
import { drawAmount } from '../values.ts';

/** Allowances above any real balance are shown as "unlimited". */
const UNLIMITED = 1n << 128n;

export function addWallet(program: Command, act: Act): void {
  const wallet = program.command('wallet').description('make a wallet, fund it, see what it holds');
  wallet
    .command('new')
    .description('make a wallet and keep its key in a file that only you can read')
    .action(act(createWallet));
  wallet
    .command('fund [amount]')
    .description('give the wallet test stablecoin, 10000 by default (sandbox)')
    .action(act(fundWallet));
  wallet.command('balance').description('show the balance of the wallet and what is reserved').action(act(showBalance));
  wallet
    .command('setup')
    .description('make the wallet ready to trade: the approvals it lacks, without gas money')
    .option('--allowance <amount>', 'the most that trades may take from the wallet, such as 250; unlimited without it')
    .action(act(setUpWallet));
  wallet
    .command('sign [file]')
    .description('sign EIP-712 typed data: a JSON file with domain, types, primaryType and message, or stdin')
    .action(act(signTypedData));
}

type TypedData = Parameters<Awaited<ReturnType<Call<object>['context']['wallet']>>['account']['signTypedData']>[0];

async function signTypedData({ context, args: [file] }: Call<object>): Promise<void> {
  const data = parseTypedData(file === undefined ? await text(process.stdin) : await readGiven(file));
  const { account } = await context.wallet();
  const signature = await account.signTypedData(data).catch((error: Error) => {
    throw new UsageError(`the typed data cannot be signed: ${error.message.split('\n')[0]}`);
  });
  context.output.show({ address: account.address, signature }, () => signature);
}

async function readGiven(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: Error) => {
    throw new UsageError(`${file} cannot be read: ${error.message}`);
  });
}

function parseTypedData(json: string): TypedData {
  const data = tryParse(json);
  const isWhole = ['domain', 'types', 'primaryType', 'message'].every((name) => data?.[name] !== undefined);
  if (!isWhole) throw new UsageError('this is no typed data', 'Give JSON with domain, types, primaryType and message.');
  // viem checks the rest as it signs.
  return data as never;
}

function tryParse(json: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const data = parseJson(json);
    return isObject(data) ? data : undefined;
  } catch {
    return undefined;
  }
}

async function createWallet({ context }: Call<object>): Promise<void> {
  const { account, source } = await context.keyFiles.createWallet(context.walletName);
  const made = { address: account.address, name: context.walletName, path: source };
  if (walletFromEnvironment(context.env) !== undefined) {
    context.output.note('PRESAGE_PRIVATE_KEY is set: it goes before any wallet in a file');
  }
  context.output.show(made, () => drawFacts(made, context.output.colors));
}

async function fundWallet({ context, args: [amount] }: Call<object>): Promise<void> {
  const { sandbox } = await context.config();
  if (!sandbox) throw new UsageError(`${context.url} is no sandbox`, 'Send stablecoin to the wallet instead.');
  const { account } = await context.wallet();
  const funded = await context.sandbox.fund(account.address, amount, { signal: context.signal });
  context.output.show(funded, () =>
    drawFacts(
      {
        wallet: funded.address,
        received: drawAmount(funded.amount),
        balance: drawAmount(funded.balance),
        transaction: funded.txHash,
      },
      context.output.colors,
    ),
  );
}

async function showBalance({ context }: Call<object>): Promise<void> {
  const { account, source } = await context.wallet();
  const query = { chain_id: await context.chainId() };
  const options = { signal: context.signal };
  const [balances, approvals] = await Promise.all([
    context.reader.getBalances(account.address, query, options),
    context.reader.getApprovals(account.address, query, options),
  ]);
  const facts = { address: account.address, source, ...balances, sharesApproved: approvals.settlement.sharesApproved };
  context.output.show(facts, () =>
    drawFacts(
      {
        wallet: account.address,
        balance: drawAmount(balances.balance),
        reserved: drawAmount(balances.reserved),
        available: drawAmount(balances.available),
        allowance: BigInt(balances.allowance) >= UNLIMITED ? 'unlimited' : drawAmount(balances.allowance),
        shares: approvals.settlement.sharesApproved ? 'approved' : 'not approved',
      },
      context.output.colors,
    ),
  );
}

async function setUpWallet({ context, options: { allowance } }: Call<{ allowance?: string }>): Promise<void> {
  const trader = await context.trader();
  const { done } = await trader.setup({ signal: context.signal, ...(allowance !== undefined && { allowance }) });
  const report = { address: trader.address, done };
  context.output.show(report, () =>
    done.length === 0 ? 'ready; nothing was missing' : `ready; done: ${done.join(', ')}`,
  );
}
