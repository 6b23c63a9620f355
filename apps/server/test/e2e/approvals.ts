// Money and approvals for wallets of a sandbox that gives none by itself.
import { conditionalTokensWithPermitAbi, testStablecoinAbi } from '@presage/contracts';
import { encodeFunctionData, type Hex } from 'viem';
import type { Exchange } from './exchange.ts';

interface ConfigChain {
  readonly settlement: { readonly address: Hex };
  readonly conditionalTokens: { readonly address: Hex };
  readonly stablecoin: { readonly address: Hex };
}

const UNLIMITED = (1n << 256n) - 1n;

/** A thousand of the stablecoin, and everything that the settlement contract may ask for. */
export async function equip(exchange: Exchange, wallet: { readonly address: Hex }): Promise<void> {
  const { chains } = await exchange.client.read<{ chains: [ConfigChain] }>('/api/v1/config');
  const { settlement, conditionalTokens, stablecoin } = chains[0];
  const money = encodeFunctionData({
    abi: testStablecoinAbi,
    functionName: 'approve',
    args: [settlement.address, UNLIMITED],
  });
  const shares = encodeFunctionData({
    abi: conditionalTokensWithPermitAbi,
    functionName: 'setApprovalForAll',
    args: [settlement.address, true],
  });
  await exchange.client.post('/sandbox/fund', { address: wallet.address, amount: 1_000_000_000 });
  await exchange.chain.sendAs({ from: wallet.address, to: stablecoin.address, data: money });
  await exchange.chain.sendAs({ from: wallet.address, to: conditionalTokens.address, data: shares });
}
