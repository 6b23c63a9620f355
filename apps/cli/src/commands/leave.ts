// `presage leave`: takes back, on the chain, what a wallet has signed or allowed.
import type { RelayedTransaction, TradingClient } from '@presage/sdk';
import type { Command } from 'commander';
import type { Act, Call } from '../act.ts';
import { UsageError } from '../exit-codes.ts';
import { findMarket } from '../find-market.ts';
import { drawFacts } from '../table.ts';
import { confirm } from '../values.ts';

export function addLeave(program: Command, act: Act): void {
  const leave = program
    .command('leave')
    .description('take back on the chain what the wallet has signed or allowed (docs/leaving.md: without the service)');
  leave
    .command('cancel <market> <nonce>')
    .description('take one order back, by the nonce it was signed with')
    .action(act(cancel));
  leave
    .command('halt')
    .description('stop every order of the wallet, past and future')
    .action(act(simple('halt', (trader, options) => trader.haltTrading(options))));
  leave
    .command('resume')
    .description('undo a halt')
    .action(act(simple('resumption', (trader, options) => trader.resumeTrading(options))));
  leave
    .command('revoke')
    .description('set the stablecoin allowance of the settlement contract to zero')
    .action(act(simple('revocation', (trader, options) => trader.revokeStablecoin(options))));
  leave
    .command('revoke-shares')
    .description('take the approval of shares back')
    .action(act(simple('revocation', (trader, options) => trader.approveShares({ approved: false, ...options }))));
  leave
    .command('invalidate <contract>')
    .description('use up the next nonce at "settlement" or "tokens": what was signed for it is worthless')
    .action(act(invalidate));
}

type Send = (trader: TradingClient, options: { signal?: AbortSignal }) => Promise<RelayedTransaction>;

function simple(what: string, send: Send) {
  return async ({ context }: Call<object>): Promise<void> => {
    const trader = await context.trader();
    const txHash = await confirm(context, what, await send(trader, { signal: context.signal }));
    const facts = { wallet: trader.address, done: what, transaction: txHash };
    context.output.show({ address: trader.address, done: what, txHash }, () => drawFacts(facts, context.output.colors));
  };
}

async function cancel({ context, args: [text = '', nonceText = ''] }: Call<object>): Promise<void> {
  if (!/^\d+$/.test(nonceText))
    throw new UsageError(`"${nonceText}" is not a nonce`, 'Write the number it was signed with.');
  const market = await findMarket(context, text);
  const order = { marketId: market.id, nonce: BigInt(nonceText) };
  await simple('cancel', (trader, options) => trader.cancelOnChain(order, options))({ context, args: [], options: {} });
}

async function invalidate({ context, args: [text = ''] }: Call<object>): Promise<void> {
  const contract = ({ settlement: 'settlement', tokens: 'conditionalTokens' } as const)[text];
  if (contract === undefined) throw new UsageError(`"${text}" is not a contract`, 'Write settlement or tokens.');
  await simple('invalidation', (trader, options) => trader.invalidateNonce(contract, options))({
    context,
    args: [],
    options: {},
  });
}
