// `presage deploy`: deploys the contracts to a chain, or finishes an interrupted deployment, and writes the chains file.
import { type Call, command, option, required } from '../command-spec.ts';
import type { Context } from '../context.ts';
import type { DeploymentReport, DeployOptions } from '../deploy/deployment-run.ts';
import { UnsoundError } from '../exit-codes.ts';

export const DEPLOY = command(
  'deploy',
  'deploy the contracts of a chain, or finish a deployment, and write the chains file',
  deploy,
  required('--rpc <url>', 'URL of a node of the chain'),
  option('--key <source>', 'key that pays and grants the roles: env:NAME, file:/path or signer:URL#0xADDRESS'),
  required('--config <file>', 'configuration of the deployment (docs/going-live.md)'),
  option('--out <dir>', 'folder for the chains file and the files for explorers', 'deployment'),
  option('--dry-run', 'show transactions and cost, and send nothing'),
  option('--verify', 'check the deployment, and send nothing'),
);

async function deploy({ context, options }: Call<DeployOptions>): Promise<void> {
  // Loaded when needed: the bytecode is most of this program.
  const { DeploymentRun } = await import('../deploy/deployment-run.ts');
  const { output, env } = context;
  const { withNode } = await import('../deploy/node-access.ts');
  const report = await withNode(options.rpc, async () => {
    const run = await DeploymentRun.open(options, env, (step) => output.note(`sent: ${step}`));
    return run.run((estimate) => output.note(drawCost(estimate)));
  });
  output.show(report, () => draw(report, context));
  if (report.faults.some(({ isFatal }) => isFatal)) throw new UnsoundError('the deployment cannot be served');
}

function drawCost({ steps, gas, cost, balance, deployer }: DeploymentReport): string {
  if (steps.length === 0) return 'everything is deployed already';
  const list = steps.map((step) => `  ${step}`).join('\n');
  return `${steps.length} transactions of ${deployer}:\n${list}\n${gas} gas, about ${cost} of the chain's coin; it has ${balance}`;
}

function draw({ contracts, files, toAccept, faults, sent }: DeploymentReport, { output }: Context): string {
  const lines = Object.entries(contracts).map(([name, address]) => `${name.padEnd(26)} ${address}`);
  for (const { detail, remedy, isFatal } of faults) {
    lines.push(`${isFatal ? output.colors.red('BAD') : output.colors.yellow('?  ')} ${detail}`, `    ${remedy}`);
  }
  for (const contract of toAccept)
    lines.push(
      `${contract}: the owner must accept it with presage owner accept, or acceptOwnership() (0x79ba5097) on it.`,
    );
  for (const file of files) lines.push(`wrote ${file}`);
  if (!sent && files.length === 0) lines.push('Nothing was sent.');
  return lines.join('\n');
}
