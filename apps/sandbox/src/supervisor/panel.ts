// The text shown after the start: addresses, a test wallet, and commands to try next.
import { keyOf } from '@presage/devchain';
import { drawCommand } from '../typed-command.ts';
import type { StartedChain } from './chains-file.ts';

export interface PanelFacts {
  readonly url: string;
  readonly chains: readonly StartedChain[];
  readonly dataDir: string;
  readonly logPath: string | undefined;
}

export function drawPanel({ url, chains, dataDir, logPath }: PanelFacts): string {
  const { address, privateKey } = keyOf('demoWallet');
  const facts: (readonly [string, string])[] = [
    ['Page', url],
    ['API', url],
    ['Docs', `${url}/docs`],
    ...chains.map(({ rpcUrl, deployment }) => ['Chain RPC', `${rpcUrl} (chain id ${deployment.chainId})`] as const),
    ['Data', dataDir],
    ...(logPath === undefined ? [] : [['Log', logPath] as const]),
    ['Demo wallet', address],
    ['Its key', `${privateKey} (test only: everybody knows it)`],
  ];
  const fund = JSON.stringify({ address });
  return [
    '',
    ...facts.map(([name, value]) => `  ${name.padEnd(14)}${value}`),
    '',
    '  Try next:',
    `    ${drawCommand('demo', url)}`,
    `    curl -s ${url}/api/v1/markets`,
    `    curl -s ${url}/api/v1/config`,
    `    curl -s ${url}/sandbox/fund -H 'content-type: application/json' -d '${fund}'`,
    '',
    '  Ctrl-C stops everything; the next start continues where this one ended.',
    '',
  ].join('\n');
}
