// A provider that makes sure, before every signature, that the wallet is on the exchange's chain.
import type { Eip1193Provider, ServiceConfig } from '@presage/sdk';
import { isRefusal } from './failure.ts';

const UNKNOWN_CHAIN = 4902;
const SIGNATURES = new Set(['eth_signTypedData_v4', 'personal_sign', 'eth_sendTransaction']);

export function onRightChain(provider: Eip1193Provider, config: ServiceConfig): Eip1193Provider {
  return {
    request: async (call) => {
      if (SIGNATURES.has(call.method)) await ensureChain(provider, config);
      return provider.request(call);
    },
  };
}

/** Wallets refuse to sign for a chain they are not connected to. */
async function ensureChain(provider: Eip1193Provider, { chains }: ServiceConfig): Promise<void> {
  const chain = chains[0];
  if (chain === undefined) return;
  const chainId = `0x${chain.chainId.toString(16)}`;
  const current = await provider.request({ method: 'eth_chainId' });
  if (Number(current) === chain.chainId) return;
  try {
    await provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId }] });
  } catch (error) {
    if (isRefusal(error)) throw error;
    if ((error as { code?: number }).code !== UNKNOWN_CHAIN || chain.rpcUrl === undefined) {
      throw new Error(`Your wallet is on another chain. Change it to ${chain.name} and try again`, { cause: error });
    }
    const nativeCurrency = { name: 'Ether', symbol: 'ETH', decimals: 18 };
    const params = [{ chainId, chainName: chain.name, rpcUrls: [chain.rpcUrl], nativeCurrency }];
    await provider.request({ method: 'wallet_addEthereumChain', params });
  }
}
