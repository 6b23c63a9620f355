// Whether the stablecoin is money that wallets can permit the settlement to draw.
import type { Hex } from '@presage/protocol';
import { domainSeparator, encodeFunctionData, parseAbi } from 'viem';
import type { Rpc } from '../../rpc.ts';
import { ContractReverted, callContract } from '../../typed-contract.ts';
import { type ChainCheck, fault } from './chain-fault.ts';

const DECIMALS = 6;
const FAUCET = parseAbi(['function mint(address to, uint256 amount)']);
const SOMEBODY = '0x00000000000000000000000000000000005a3e00';
const OTHER_COIN = "Name the network's native USDC, or another token with 6 decimals and EIP-2612 permits.";

export const checkStablecoin: ChainCheck = async ({ contracts }) => {
  const decimals = await contracts.stablecoin.read('decimals', []);
  return [decimals !== DECIMALS && fault(`the stablecoin has ${decimals} decimals instead of ${DECIMALS}`, OTHER_COIN)];
};

/** Wallets without gas money trade by permits: a domain that differs in a letter makes every one of them worthless. */
export const checkPermitDomain: ChainCheck = async ({ settings, contracts }) => {
  const { stablecoin } = contracts;
  const read = async () => {
    const [name, version, found] = await Promise.all([
      stablecoin.read('name', []),
      stablecoin.read('version', []),
      stablecoin.read('DOMAIN_SEPARATOR', []),
    ]);
    const domain = { name, version, chainId: settings.chainId, verifyingContract: stablecoin.address };
    return domainSeparator({ domain }) === found;
  };
  // One that reverts, or answers nothing, has no permits.
  const isKnown = await read().catch((error) => {
    if (error instanceof ContractReverted || (error instanceof Error && /AbiDecoding|Position/.test(error.name)))
      return undefined;
    throw error;
  });
  if (isKnown === undefined)
    return [fault('the stablecoin has no permits (name, version, DOMAIN_SEPARATOR)', OTHER_COIN)];
  return [
    !isKnown &&
      fault("the stablecoin's permit domain is not what its name, version, chain and address give", OTHER_COIN),
  ];
};

export const checkMint: ChainCheck = async ({ rpc, contracts }) => {
  const data = encodeFunctionData({ abi: FAUCET, functionName: 'mint', args: [SOMEBODY, 1n] });
  const isOpen = (await ask(rpc, { to: contracts.stablecoin.address, data, from: SOMEBODY })) !== undefined;
  return [isOpen && fault('anybody may mint the stablecoin', OTHER_COIN)];
};

/** Undefined if the contract reverts. */
export async function ask(rpc: Rpc, call: { to: Hex; data: Hex; from?: Hex }): Promise<Hex | undefined> {
  try {
    return await callContract(rpc, call);
  } catch (error) {
    if (error instanceof ContractReverted) return undefined;
    throw error;
  }
}
