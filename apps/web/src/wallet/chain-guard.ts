// A provider that makes sure, before every signature and every call, that the wallet is on the chain that is meant.

import { isObject } from '@presage/protocol/browser';
import { codeOf } from '@presage/runtime';
import type { ChainConfig, Eip1193Provider, ServiceConfig } from '@presage/sdk';
import { isRefusal } from '../state/failure.ts';

type Call = Parameters<Eip1193Provider['request']>[0];

const UNKNOWN_CHAIN = 4902;
const OF_A_CHAIN = new Set(['eth_signTypedData_v4', 'personal_sign', 'eth_sendTransaction', 'eth_call']);

export function onRightChain(provider: Eip1193Provider, config: ServiceConfig): Eip1193Provider {
  return {
    request: async (call) => {
      if (OF_A_CHAIN.has(call.method)) await ensureChain(provider, chainOf(call, config));
      return provider.request(call);
    },
  };
}

/** Transactions and typed data name their chain; whatever else is signed goes to the first. */
function chainOf({ params }: Call, { chains }: ServiceConfig): ChainConfig | undefined {
  const [sent, typed] = Array.isArray(params) ? params : [];
  const ofTyped = typeof typed === 'string' ? /"chainId":"?(\d+)/.exec(typed)?.[1] : undefined;
  const named = (isObject(sent) ? sent.chainId : undefined) ?? ofTyped;
  return chains.find(({ chainId }) => chainId === Number(named)) ?? chains[0];
}

/** Wallets refuse to sign for a chain they are not connected to. */
async function ensureChain(provider: Eip1193Provider, chain: ChainConfig | undefined): Promise<void> {
  if (chain === undefined) return;
  const chainId = `0x${chain.chainId.toString(16)}`;
  const current = await provider.request({ method: 'eth_chainId' });
  if (Number(current) === chain.chainId) return;
  try {
    await provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId }] });
  } catch (error) {
    if (isRefusal(error)) throw error;
    if (codeOf(error) !== UNKNOWN_CHAIN || chain.rpcUrl === undefined) {
      throw new Error(`Your wallet is on another chain. Change it to ${chain.name} and try again`, { cause: error });
    }
    const nativeCurrency = { name: 'Ether', symbol: 'ETH', decimals: 18 };
    const params = [{ chainId, chainName: chain.name, rpcUrls: [chain.rpcUrl], nativeCurrency }];
    await provider.request({ method: 'wallet_addEthereumChain', params });
  }
}
