// `presage leave`: revokes, on the chain, what a wallet has signed or approved.
import type { RelayedTransaction, TradingClient } from '@presage/sdk';
import { type Call, type CommandSpec, command } from '../command-spec.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../exit-codes.ts';
import { findMarket } from '../find-market.ts';
import { chainsOf, confirm, EVERY_CHAIN } from '../values.ts';

export const LEAVE: CommandSpec = {
  name: 'leave',
  text: 'cancel or revoke on chain what the wallet has signed or approved (without the service: docs/leaving.md)',
  commands: [
    command('cancel <market> <nonce>', 'cancel one order, by the nonce it was signed with', cancel),
    command(
      'halt',
      'stop every order of the wallet, past and future',
      simple('halt', (trader, options) => trader.haltTrading(options)),
      EVERY_CHAIN,
    ),
    command(
      'resume',
      'undo a halt',
      simple('resumption', (trader, options) => trader.resumeTrading(options)),
      EVERY_CHAIN,
    ),
    command(
      'withdraw',
      'withdraw the whole deposit from the settlement contract',
      simple('withdrawal', (trader, options) => trader.withdraw(options)),
      EVERY_CHAIN,
    ),
    command(
      'revoke',
      'set the stablecoin allowance of the settlement contract to zero',
      simple('revocation', (trader, options) => trader.revokeStablecoin(options)),
      EVERY_CHAIN,
    ),
    command(
      'revoke-shares',
      'revoke the approval of shares',
      simple('revocation', (trader, options) => trader.approveShares({ approved: false, ...options })),
      EVERY_CHAIN,
    ),
    command(
      'invalidate <contract>',
      'use up the next nonce of "settlement" or "tokens", which invalidates everything signed for it',
      invalidate,
      EVERY_CHAIN,
    ),
  ],
};

interface ChainOption {
  readonly chain?: string;
}

interface SendOptions {
  readonly signal: AbortSignal;
  readonly chainId: number;
}

type Send = (trader: TradingClient, options: SendOptions) => Promise<RelayedTransaction>;

function simple(what: string, send: Send) {
  return async ({ context, options }: Call<ChainOption>): Promise<void> =>
    sendOn(await chainsOf(context, options), { context, what, send });
}

interface Leaving {
  readonly context: Context;
  readonly what: string;
  readonly send: Send;
}

/** Sends on every chosen chain; a failure on one does not stop the others, and the first failure is thrown at the end. */
async function sendOn(chosen: readonly number[], { context, what, send }: Leaving): Promise<void> {
  const trader = await context.trader();
  const chains: { readonly chainId: number; readonly txHash: string }[] = [];
  const failures: unknown[] = [];
  for (const chainId of chosen) {
    try {
      const sent = await send(trader, { chainId, signal: context.signal });
      chains.push({ chainId, txHash: await confirm(context, what, sent) });
    } catch (error) {
      failures.push(error);
      if (chosen.length > 1) context.output.note(`chain ${chainId}: no ${what}`);
    }
  }
  const [first] = chains;
  if (first !== undefined) {
    const facts = { wallet: trader.address, done: what, transaction: chains.map(({ txHash }) => txHash).join(', ') };
    context.output.showFacts({ address: trader.address, done: what, txHash: first.txHash, chains }, facts);
  }
  if (failures.length > 0) throw failures[0];
}

async function cancel({ context, args: [text = '', nonceText = ''] }: Call): Promise<void> {
  if (!/^\d+$/.test(nonceText))
    throw new UsageError(`"${nonceText}" is not a nonce`, 'Write the number it was signed with.');
  const market = await findMarket(context, text);
  const order = { marketId: market.id, nonce: BigInt(nonceText) };
  const send: Send = (trader, { signal }) => trader.cancelOnChain(order, { signal });
  await sendOn([market.chainId], { context, what: 'cancel', send });
}

async function invalidate(call: Call<ChainOption>): Promise<void> {
  const [text = ''] = call.args;
  const contract = ({ settlement: 'settlement', tokens: 'conditionalTokens' } as const)[text];
  if (contract === undefined) throw new UsageError(`"${text}" is not a contract`, 'Write settlement or tokens.');
  await simple('invalidation', (trader, options) => trader.invalidateNonce(contract, options))(call);
}
