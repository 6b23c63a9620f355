// `presage leave`: takes back, on the chain, what a wallet has signed or allowed.
import type { RelayedTransaction, TradingClient } from '@presage/sdk';
import { type Call, type CommandSpec, command } from '../command-spec.ts';
import { UsageError } from '../exit-codes.ts';
import { findMarket } from '../find-market.ts';
import { confirm } from '../values.ts';

export const LEAVE: CommandSpec = {
  name: 'leave',
  text: 'cancel or revoke on the chain what the wallet has signed or approved (docs/leaving.md: without the service)',
  commands: [
    command('cancel <market> <nonce>', 'cancel one order, by the nonce it was signed with', cancel),
    command(
      'halt',
      'stop every order of the wallet, past and future',
      simple('halt', (trader, options) => trader.haltTrading(options)),
    ),
    command(
      'resume',
      'undo a halt',
      simple('resumption', (trader, options) => trader.resumeTrading(options)),
    ),
    command(
      'withdraw',
      'take the whole deposit out of the settlement contract',
      simple('withdrawal', (trader, options) => trader.withdraw(options)),
    ),
    command(
      'revoke',
      'set the stablecoin allowance of the settlement contract to zero',
      simple('revocation', (trader, options) => trader.revokeStablecoin(options)),
    ),
    command(
      'revoke-shares',
      'revoke the approval of shares',
      simple('revocation', (trader, options) => trader.approveShares({ approved: false, ...options })),
    ),
    command(
      'invalidate <contract>',
      'use up the next nonce at "settlement" or "tokens", so that nothing signed for it is valid any more',
      invalidate,
    ),
  ],
};

type Send = (trader: TradingClient, options: { signal?: AbortSignal }) => Promise<RelayedTransaction>;

function simple(what: string, send: Send) {
  return async ({ context }: Pick<Call, 'context'>): Promise<void> => {
    const trader = await context.trader();
    const txHash = await confirm(context, what, await send(trader, { signal: context.signal }));
    const facts = { wallet: trader.address, done: what, transaction: txHash };
    context.output.showFacts({ address: trader.address, done: what, txHash }, facts);
  };
}

async function cancel({ context, args: [text = '', nonceText = ''] }: Call): Promise<void> {
  if (!/^\d+$/.test(nonceText))
    throw new UsageError(`"${nonceText}" is not a nonce`, 'Write the number it was signed with.');
  const market = await findMarket(context, text);
  const order = { marketId: market.id, nonce: BigInt(nonceText) };
  await simple('cancel', (trader, options) => trader.cancelOnChain(order, options))({ context });
}

async function invalidate({ context, args: [text = ''] }: Call): Promise<void> {
  const contract = ({ settlement: 'settlement', tokens: 'conditionalTokens' } as const)[text];
  if (contract === undefined) throw new UsageError(`"${text}" is not a contract`, 'Write settlement or tokens.');
  await simple('invalidation', (trader, options) => trader.invalidateNonce(contract, options))({ context });
}
