// `presage resolve`: the resolution of a market: status, propose, dispute, arbitrate, settle.
import type { ResolutionStatus } from '@presage/sdk';
import { type Call, type CommandSpec, command, required } from '../command-spec.ts';
import type { OracleOptions } from '../deploy/oracle-dispute.ts';
import { drawTime } from '../durations.ts';
import { findMarket } from '../find-market.ts';
import { plain } from '../output.ts';
import { confirm, outcomeName, parseResolution } from '../values.ts';

const OWN_TRANSACTION = [
  required('--rpc <url>', 'URL of a node of the chain'),
  required('--key <source>', 'key that signs: env:NAME, file:/path or signer:URL#0xADDRESS'),
];

export const RESOLVE: CommandSpec = {
  name: 'resolve',
  text: 'propose, dispute and settle the outcome of an expired market',
  commands: [
    command('status <market>', "show the state of a market's resolution", showStatus),
    command(
      'propose <market> <outcome>',
      'propose yes, no, or half if neither is right; with a bond if the chain requires one',
      propose,
    ),
    command(
      'dispute <market>',
      'dispute the proposal within its window; the wallet needs gas and the bond',
      dispute,
      ...OWN_TRANSACTION,
    ),
    command(
      'arbitrate <market> <verdict>',
      "decide a dispute as the oracle's arbitrator: true if the proposal was true, otherwise false",
      arbitrate,
      ...OWN_TRANSACTION,
    ),
    command('settle <market>', 'make the proposed outcome final after the dispute window', settle),
  ],
};

async function showStatus({ context, args: [text = ''] }: Call): Promise<void> {
  const market = await findMarket(context, text);
  const status = await context.reader.getResolution(market.id, { signal: context.signal });
  const facts = { market: market.id, question: plain(market.question), ...statusFacts(status) };
  context.output.showFacts(status, facts);
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

async function propose({ context, args: [text = '', outcomeText = ''] }: Call): Promise<void> {
  const outcome = parseResolution(outcomeText);
  const market = await findMarket(context, text);
  const trader = await context.trader();
  const sent = await trader.proposeResolution(market.id, outcome, { signal: context.signal });
  const txHash = await confirm(context, 'proposal', sent);
  const facts = { market: market.id, proposed: outcome, transaction: txHash };
  context.output.showFacts({ marketId: market.id, outcome, txHash }, facts);
}

async function settle({ context, args: [text = ''] }: Call): Promise<void> {
  const market = await findMarket(context, text);
  const trader = await context.trader();
  const txHash = await confirm(context, 'settlement', await trader.settleMarket(market.id, { signal: context.signal }));
  const status = await context.reader.getResolution(market.id, { signal: context.signal });
  const facts = { market: market.id, ...statusFacts(status), transaction: txHash };
  context.output.showFacts({ ...status, txHash }, facts);
}

async function dispute(call: Call<OracleOptions>): Promise<void> {
  // Loaded when needed: sending transactions brings much along.
  const { disputeProposal } = await import('../deploy/oracle-dispute.ts');
  await disputeProposal(call);
}

async function arbitrate(call: Call<OracleOptions>): Promise<void> {
  const { arbitrateDispute } = await import('../deploy/oracle-dispute.ts');
  await arbitrateDispute(call);
}
