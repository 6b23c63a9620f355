// `presage wallet`: the user's keys, balances, deposits and allowances.
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { isObject, parseJson } from '@presage/protocol';
import { type Call, type CommandSpec, command, option } from '../command-spec.ts';
import { UsageError } from '../exit-codes.ts';
import { type Wallet, walletFromEnvironment } from '../key-files.ts';
import { chainsOf, confirm, definedOnly, drawAmount, EVERY_CHAIN } from '../values.ts';

/** Allowances above any real balance are shown as "unlimited". */
const UNLIMITED = 1n << 128n;

export const WALLET: CommandSpec = {
  name: 'wallet',
  text: 'create, fund and show a wallet',
  commands: [
    command('new', 'create a wallet and keep its key in a file that only you can read', createWallet),
    command('fund [amount]', 'fund the wallet with test stablecoin, 10000 by default (sandbox)', fundWallet),
    command('balance', 'show the balance of the wallet and how much of it is reserved', showBalance),
    command(
      'setup',
      'prepare the wallet for trading: give the missing approvals, without gas',
      setUpWallet,
      option('--allowance <amount>', 'maximum that trades may take from the wallet, such as 250 (unlimited)'),
      EVERY_CHAIN,
    ),
    command('deposit <amount>', 'deposit stablecoin in the settlement contract, so that fills cost less gas', deposit),
    command(
      'withdraw [amount]',
      'withdraw a deposit, all of it by default',
      withdraw,
      option('--to <address>', 'recipient (the wallet itself)'),
    ),
    command(
      'sign [file]',
      'sign EIP-712 typed data: a JSON file with domain, types, primaryType and message, or stdin',
      signTypedData,
    ),
  ],
};

type TypedData = Parameters<Wallet['account']['signTypedData']>[0];

async function signTypedData({ context, args: [file] }: Call): Promise<void> {
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
  if (!isWhole)
    throw new UsageError('this is not typed data', 'Give JSON with domain, types, primaryType and message.');
  // viem checks the rest when it signs.
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

async function createWallet({ context }: Call): Promise<void> {
  const { account, source } = await context.keyFiles.createWallet(context.walletName);
  const made = { address: account.address, name: context.walletName, path: source };
  if (walletFromEnvironment(context.env) !== undefined) {
    context.output.note('PRESAGE_PRIVATE_KEY is set: it takes precedence over every wallet file');
  }
  context.output.showFacts(made, made);
}

async function fundWallet({ context, args: [amount] }: Call): Promise<void> {
  const sandbox = await context.onlySandbox('Send stablecoin to the wallet instead.');
  const { account } = await context.wallet();
  const funded = await sandbox.fund(account.address, amount, { signal: context.signal });
  context.output.showFacts(funded, {
    wallet: funded.address,
    received: drawAmount(funded.amount),
    balance: drawAmount(funded.balance),
    transaction: funded.txHash,
  });
}

async function showBalance({ context }: Call): Promise<void> {
  const { account, source } = await context.wallet();
  const query = { chain_id: await context.chainId() };
  const options = { signal: context.signal };
  const [balances, approvals] = await Promise.all([
    context.reader.getBalances(account.address, query, options),
    context.reader.getApprovals(account.address, query, options),
  ]);
  const facts = { address: account.address, source, ...balances, sharesApproved: approvals.settlement.sharesApproved };
  context.output.showFacts(facts, {
    wallet: account.address,
    balance: drawAmount(balances.balance),
    deposited: drawAmount(balances.deposited ?? '0'),
    reserved: drawAmount(balances.reserved),
    available: drawAmount(balances.available),
    allowance: BigInt(balances.allowance) >= UNLIMITED ? 'unlimited' : drawAmount(balances.allowance),
    shares: approvals.settlement.sharesApproved ? 'approved' : 'not approved',
  });
}

async function deposit({ context, args: [amount = ''] }: Call): Promise<void> {
  const trader = await context.trader();
  const transaction = await confirm(context, 'deposit', await trader.deposit(amount, { signal: context.signal }));
  await showMoved(context, { deposited: amount, transaction });
}

async function withdraw({ context, args: [amount], options: { to } }: Call<{ to?: string }>): Promise<void> {
  const trader = await context.trader();
  const sent = await trader.withdraw(definedOnly({ amount, to, signal: context.signal }));
  const transaction = await confirm(context, 'withdrawal', sent);
  await showMoved(context, { withdrawn: amount ?? 'everything', transaction });
}

async function showMoved(context: Call['context'], moved: Readonly<Record<string, string>>): Promise<void> {
  const { account } = await context.wallet();
  const query = { chain_id: await context.chainId() };
  const { balance, deposited = '0' } = await context.reader.getBalances(account.address, query, {
    signal: context.signal,
  });
  const left = { balance: drawAmount(balance), stillDeposited: drawAmount(deposited) };
  context.output.showFacts(
    { address: account.address, ...moved, balance, stillDeposited: deposited },
    { ...moved, ...left },
  );
}

interface SetupOptions {
  readonly allowance?: string;
  readonly chain?: string;
}

async function setUpWallet({ context, options }: Call<SetupOptions>): Promise<void> {
  const { allowance } = options;
  const chosen = await chainsOf(context, options);
  const trader = await context.trader();
  const chains: { readonly chainId: number; readonly done: readonly string[] }[] = [];
  for (const chainId of chosen) {
    const { done } = await trader.setup(definedOnly({ signal: context.signal, allowance, chainId }));
    chains.push({ chainId, done });
  }
  const isOneOfSeveral = (await context.config()).chains.length > 1;
  const report = { address: trader.address, done: chains.flatMap(({ done }) => done), chains };
  context.output.show(report, () => chains.map((chain) => drawPrepared(chain, isOneOfSeveral)).join('\n'));
}

function drawPrepared(
  { chainId, done }: { chainId: number; done: readonly string[] },
  isOneOfSeveral: boolean,
): string {
  const text = done.length === 0 ? 'ready; no approval was missing' : `ready; done: ${done.join(', ')}`;
  return isOneOfSeveral ? `chain ${chainId}: ${text}` : text;
}
