// `presage resolve`: the resolution of a market: status, propose, settle.
import type { ResolutionStatus } from '@presage/sdk';
import type { Command } from 'commander';
import type { Act, Call } from '../act.ts';
import { drawTime } from '../durations.ts';
import { findMarket } from '../find-market.ts';
import { plain } from '../output.ts';
import { drawFacts } from '../table.ts';
import { confirm, outcomeName, parseResolution } from '../values.ts';

export function addResolve(program: Command, act: Act): void {
  const resolve = program.command('resolve').description('propose the outcome of an expired market, settle it');
  resolve.command('status <market>').description('show where a market stands').action(act(showStatus));
  resolve
    .command('propose <market> <outcome>')
    .description('assert yes, no, or half where neither is the answer; with a bond where the chain asks for one')
    .action(act(propose));
  resolve
    .command('settle <market>')
    .description('make the proposed outcome final, once the dispute window has passed')
    .action(act(settle));
}

async function showStatus({ context, args: [text = ''] }: Call<object>): Promise<void> {
  const market = await findMarket(context, text);
  const status = await context.reader.getResolution(market.id, { signal: context.signal });
  const facts = { market: market.id, question: plain(market.question), ...statusFacts(status) };
  context.output.show(status, () => drawFacts(facts, context.output.colors));
}

function statusFacts({ status, winningOutcome, assertion }: ResolutionStatus): Record<string, string> {
  return {
    status,
    ...(winningOutcome !== undefined && { winner: outcomeName(winningOutcome) }),
    ...(assertion && {
      proposed: `${['YES', 'NO', 'HALF'][assertion.outcome]} by ${assertion.proposer}`,
      'window ends': `${drawTime(assertion.expirationTime)} UTC`,
    }),
  };
}

async function propose({ context, args: [text = '', outcomeText = ''] }: Call<object>): Promise<void> {
  const outcome = parseResolution(outcomeText);
  const market = await findMarket(context, text);
  const trader = await context.trader();
  const txHash = await confirm(
    context,
    'proposal',
    await trader.proposeResolution(market.id, outcome, { signal: context.signal }),
  );
  const report = { marketId: market.id, outcome, txHash };
  const facts = { market: market.id, proposed: outcome, transaction: txHash };
  context.output.show(report, () => drawFacts(facts, context.output.colors));
}

async function settle({ context, args: [text = ''] }: Call<object>): Promise<void> {
  const market = await findMarket(context, text);
  const trader = await context.trader();
  const txHash = await confirm(context, 'settlement', await trader.settleMarket(market.id, { signal: context.signal }));
  const status = await context.reader.getResolution(market.id, { signal: context.signal });
  const facts = { market: market.id, ...statusFacts(status), transaction: txHash };
  context.output.show({ ...status, txHash }, () => drawFacts(facts, context.output.colors));
}
