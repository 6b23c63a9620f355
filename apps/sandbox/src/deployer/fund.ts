// Gives a sandbox wallet what it lacks to trade: test stablecoin, approvals and gas money, through the chain's own RPC.

import type { Deployment } from '@presage/chain';
import { conditionalTokensWithPermitAbi, testStablecoinAbi } from '@presage/contracts';
import { createPublicClient, encodeFunctionData, type Hex, http, maxUint256, numberToHex, rpcSchema } from 'viem';
import { keyOf } from '../chain/sandbox-keys.ts';

type PresageRpcSchema = [
  {
    Method: 'presage_sendAs';
    Parameters: [{ from: Hex; to: Hex; data?: Hex; value?: Hex }];
    ReturnType: Hex;
  },
];

export interface FundOptions {
  readonly rpcUrl: string;
  readonly deployment: Deployment;
  readonly wallet: Hex;
}

/** Mints test stablecoin, in units of 10^-6; the faucet is open to all, so this needs nobody's name but the owner's. */
export async function giveStablecoin(options: FundOptions & { readonly amount: bigint }): Promise<Hex> {
  const { rpcUrl, deployment, wallet, amount } = options;
  const data = encodeFunctionData({ abi: testStablecoinAbi, functionName: 'mint', args: [wallet, amount] });
  return confirm(rpcUrl, { from: keyOf('owner').address, to: deployment.stablecoin, data });
}

/** Gas money, for a wallet that wants to send transactions of its own. */
export async function giveGasMoney(options: Omit<FundOptions, 'deployment'> & { readonly wei: bigint }): Promise<Hex> {
  const { rpcUrl, wallet, wei } = options;
  return confirm(rpcUrl, { from: keyOf('owner').address, to: wallet, value: numberToHex(wei) });
}

/** Sends, in the wallet's name, the approvals the settlement needs and does not have; answers their hashes. */
export async function giveApprovals({ rpcUrl, deployment, wallet }: FundOptions): Promise<Hex[]> {
  const client = openClient(rpcUrl);
  const { settlement, stablecoin, conditionalTokens } = deployment;
  const [allowance, approved] = await Promise.all([
    client.readContract({
      address: stablecoin,
      abi: testStablecoinAbi,
      functionName: 'allowance',
      args: [wallet, settlement],
    }),
    client.readContract({
      address: conditionalTokens,
      abi: conditionalTokensWithPermitAbi,
      functionName: 'isApprovedForAll',
      args: [wallet, settlement],
    }),
  ]);
  const hashes: Hex[] = [];
  // Half of everything: a token that counts an endless allowance down would otherwise be approved again each time.
  if (allowance < maxUint256 / 2n) {
    const data = encodeFunctionData({
      abi: testStablecoinAbi,
      functionName: 'approve',
      args: [settlement, maxUint256],
    });
    hashes.push(await confirm(rpcUrl, { from: wallet, to: stablecoin, data }));
  }
  if (!approved) {
    const args = [settlement, true] as const;
    const data = encodeFunctionData({ abi: conditionalTokensWithPermitAbi, functionName: 'setApprovalForAll', args });
    hashes.push(await confirm(rpcUrl, { from: wallet, to: conditionalTokens, data }));
  }
  return hashes;
}

function openClient(rpcUrl: string) {
  return createPublicClient({ transport: http(rpcUrl), pollingInterval: 25, rpcSchema: rpcSchema<PresageRpcSchema>() });
}

async function confirm(rpcUrl: string, call: PresageRpcSchema[0]['Parameters'][0]): Promise<Hex> {
  const client = openClient(rpcUrl);
  const hash = await client.request({ method: 'presage_sendAs', params: [call] });
  const { status } = await client.waitForTransactionReceipt({ hash });
  if (status !== 'success') throw new Error(`transaction ${hash} in the name of ${call.from} reverted`);
  return hash;
}
