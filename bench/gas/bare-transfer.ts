// Gas of a second transfer of the expensive token in one transaction: the lower bound for a fee between two wallets.
import { decodeFunctionResult, encodeFunctionData, maxUint256, parseAbi } from 'viem';
import { testStablecoinAbi } from '../../contracts/generated/abi.ts';
import { toBareTransfer, toDearStablecoin } from '../../contracts/test/guarded-stablecoin.ts';
import { World } from '../../contracts/test/world.ts';

const abi = parseAbi(['function gasOfSecond(address token, address payer, address payee) returns (uint256)']);

export async function measureBareTransfer(): Promise<number> {
  const world = await World.open({ stablecoin: toDearStablecoin() });
  const { contractAddress } = await world.chain.mustSend(world.arbitrator, { data: toBareTransfer() });
  if (!contractAddress) throw new Error('no contract was made');
  const payer = await world.openTrader({ key: 1_000, stablecoin: 10n, yesShares: 0n });
  const payee = await world.openTrader({ key: 5_000, stablecoin: 10n, yesShares: 0n });
  await world.as(payer, world.collateral, testStablecoinAbi, 'approve', [contractAddress, maxUint256]);
  const call = { abi, functionName: 'gasOfSecond' } as const;
  const args = [world.collateral, payer.address, payee.address] as const;
  const { data = '0x' } = await world.chain.client.call({
    to: contractAddress,
    data: encodeFunctionData({ ...call, args }),
  });
  return Number(decodeFunctionResult({ ...call, data }));
}
