// The tables of docs/going-live.md, from the schemas and the list of networks themselves.
import type { TSchema } from 'typebox';
import { CHAIN_DEFAULTS, ChainAddresses, ChainSettingsSchema } from '../src/setup/chain-settings.ts';
import { DeploymentSettingsSchema } from '../src/setup/deploy/deployment-settings.ts';
import { KNOWN_NETWORKS, NETWORK_SOURCES } from '../src/setup/deploy/networks.ts';

interface Described {
  readonly properties: Readonly<Record<string, TSchema & { readonly description?: string }>>;
  readonly required?: readonly string[];
}

/** The document with its tables replaced; what stands between two marks of a name belongs to the generator. */
export function renderGoingLiveDocs(text: string): string {
  const tables: Readonly<Record<string, string>> = {
    'chains file': renderFields(ChainSettingsSchema, CHAIN_DEFAULTS),
    contracts: renderFields(ChainAddresses),
    deployment: renderFields(DeploymentSettingsSchema),
    networks: renderNetworks(),
  };
  return Object.entries(tables).reduce(replaceTable, text);
}

function replaceTable(text: string, [name, table]: [string, string]): string {
  const mark = new RegExp(`(<!-- ${name}: generated -->\n)[\\s\\S]*?(<!-- end -->)`);
  if (!mark.test(text)) throw new Error(`docs/going-live.md has no place for the table "${name}"`);
  return text.replace(mark, (_, begin: string, end: string) => `${begin}${table}\n${end}`);
}

function renderFields(
  { properties, required = [] }: Described,
  defaults: Readonly<Record<string, number>> = {},
): string {
  const rows = Object.entries(properties).map(([name, { description = 'see below' }]) => {
    const value = defaults[name];
    const needed = required.includes(name) ? 'yes' : value === undefined ? 'no' : `no: ${value}`;
    return `| \`${name}\` | ${needed} | ${description} |`;
  });
  return ['| Field | Needed | |', '|---|---|---|', ...rows].join('\n');
}

function renderNetworks(): string {
  const rows = KNOWN_NETWORKS.map(
    ({ chainId, name, stablecoin, umaOracle, pyth, confirmations, minTipGwei, maxFeeGwei }) => {
      const addresses = [stablecoin, umaOracle, pyth].map((address) =>
        address === undefined ? 'none' : `\`${address}\``,
      );
      return `| ${chainId} | ${name} | ${addresses.join(' | ')} | ${confirmations} | ${minTipGwei} | ${maxFeeGwei} |`;
    },
  );
  const sources = Object.entries(NETWORK_SOURCES).map(([column, source]) => `- \`${column}\`: ${source}`);
  return [
    '| Chain | Name | `stablecoin` (USDC) | `umaOracle` | `pyth` | Confirmations | Minimum tip (gwei) | Maximum per gas (gwei) |',
    '|---|---|---|---|---|---|---|---|',
    ...rows,
    '',
    'Sources:',
    ...sources,
  ].join('\n');
}
