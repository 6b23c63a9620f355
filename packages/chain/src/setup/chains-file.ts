// Reads the chains file as a whole; every unknown or mistyped field is refused by name.
import { isObject } from '@presage/protocol';
import { messageOf } from '@presage/runtime';
import Type from 'typebox';
import { Check } from 'typebox/value';
import { CHAIN_DEFAULTS, type ChainSettings, ChainSettingsSchema } from './chain-settings.ts';
import { findFieldFaults } from './field-faults.ts';

type Defaults = typeof CHAIN_DEFAULTS;

/** Settings of a chain with every default applied. */
export type ReadChainSettings = Omit<ChainSettings, keyof Defaults | 'name' | 'collateralCheck'> & {
  readonly [Name in keyof Defaults]: number;
} & { readonly name: string; readonly collateralCheck: 'enforce' | 'off' };

export interface ChainsFileRead {
  /** Empty if there is a fault. */
  readonly chains: readonly ReadChainSettings[];
  readonly faults: readonly string[];
}

const ChainsFileSchema = Type.Object(
  { chains: Type.Array(ChainSettingsSchema, { minItems: 1, description: 'a list of at least one chain' }) },
  { additionalProperties: false },
);

export function readChainsFile(text: string): ChainsFileRead {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    // The parser's message quotes the file, which may contain a key.
    const [where = 'somewhere'] = /(at|in JSON at) position \d+/.exec(messageOf(error)) ?? [];
    return { chains: [], faults: [`is not JSON (a mistake ${where})`] };
  }
  value = withNodeLists(value);
  if (!Check(ChainsFileSchema, value)) return { chains: [], faults: findFieldFaults(ChainsFileSchema, value) };
  const { chains } = value;
  const wrong = [...chains.flatMap(findNodeFaults), ...chains.flatMap(findFeeFaults), ...findSharedFaults(chains)];
  return wrong.length > 0 ? { chains: [], faults: wrong } : { chains: chains.map(withDefaults), faults: [] };
}

/** Turns `rpcUrl` of older files into a list of one. */
function withNodeLists(value: unknown): unknown {
  if (!isObject(value) || !Array.isArray(value.chains)) return value;
  return { ...value, chains: value.chains.map(withNodeList) };
}

function withNodeList(chain: unknown): unknown {
  if (typeof chain !== 'object' || chain === null || !('rpcUrl' in chain) || 'rpcUrls' in chain) return chain;
  const { rpcUrl, ...others } = chain;
  return { ...others, rpcUrls: [rpcUrl] };
}

function withDefaults({ explorerUrl, ...chain }: ChainSettings): ReadChainSettings {
  return {
    ...CHAIN_DEFAULTS,
    name: `chain ${chain.chainId}`,
    collateralCheck: 'enforce',
    ...chain,
    ...(explorerUrl !== undefined && { explorerUrl: explorerUrl.replace(/\/+$/, '') }),
  };
}

/** Refuses fragments, because a WebSocket connection accepts no URL with one. */
function findNodeFaults({ rpcUrls }: ChainSettings, index: number): string[] {
  return rpcUrls.flatMap((url, place) => {
    if (URL.canParse(url) && new URL(url).hash === '') return [];
    return [
      `chains[${index}].rpcUrls[${place}]: give the http(s) URL of a node, with a number as its port and without #`,
    ];
  });
}

function findFeeFaults(chain: ChainSettings, index: number): string[] {
  const { minTipGwei, maxFeeGwei } = { ...CHAIN_DEFAULTS, ...chain };
  if (maxFeeGwei >= minTipGwei) return [];
  return [`chains[${index}].maxFeeGwei: give a number of gwei, not less than minTipGwei (${minTipGwei})`];
}

/** Market ids are derived from the address of the factory: two chains with the same one could list the same id. */
function findSharedFaults(chains: readonly ChainSettings[]): string[] {
  return chains.flatMap((chain, index) => {
    const others = chains.slice(0, index);
    const faults: string[] = [];
    if (others.some(({ chainId }) => chainId === chain.chainId)) {
      faults.push(`chains[${index}].chainId: ${chain.chainId} is listed already; name each chain once`);
    }
    for (const name of ['marketFactory', 'eventFactory', 'quickMarketFactory'] as const) {
      const address = chain.contracts[name]?.toLowerCase();
      const twin = address && others.find(({ contracts }) => contracts[name]?.toLowerCase() === address);
      if (!twin || twin.chainId === chain.chainId) continue;
      const remedy = 'ids of markets would be the same on both; deploy it with another salt';
      faults.push(`chains[${index}].contracts.${name}: has the address of that of chain ${twin.chainId}, so ${remedy}`);
    }
    return faults;
  });
}
