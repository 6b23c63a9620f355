// A finding of a chain's check, with its remedy.
import { asHex, type Hex } from '@presage/protocol';
import type { Address } from 'viem';
import type { Contracts } from '../../contracts.ts';
import type { Rpc } from '../../rpc.ts';
import type { ReadChainSettings } from '../chains-file.ts';

export interface ChainFault {
  readonly detail: string;
  readonly remedy: string;
  /** Whether a live service refuses to start; otherwise it starts and reports the fault. */
  readonly isFatal: boolean;
}

export interface ServiceKey {
  readonly address: Address;
  /** URL of the external signer that holds the key. */
  readonly url?: string;
}

export interface ServiceKeys {
  readonly settler: ServiceKey;
  readonly relayer: ServiceKey;
  /** Set if operators create markets through the service. */
  readonly creator?: ServiceKey;
}

export interface ChainCheckOptions {
  readonly settings: Pick<
    ReadChainSettings,
    | 'chainId'
    | 'contracts'
    | 'fromBlock'
    | 'settlementGraceSeconds'
    | 'transactionGasCap'
    | 'ownerAddress'
    | 'pauserAddress'
    | 'creatorAddress'
    | 'treasury'
    | 'arbitratorAddress'
  >;
  readonly rpc: Rpc;
  readonly keys: ServiceKeys;
  /** Clock for detecting a stalled node; that check is skipped if absent. */
  readonly nowSeconds?: () => number;
}

/** Input of the contract checks. */
export interface CheckedChain extends ChainCheckOptions {
  readonly contracts: Contracts;
}

export type ChainCheck = (chain: CheckedChain) => Promise<readonly (ChainFault | false)[]>;

export function fault(detail: string, remedy: string): ChainFault {
  return { detail, remedy, isFatal: true };
}

export function warning(detail: string, remedy: string): ChainFault {
  return { detail, remedy, isFatal: false };
}

export function isSame(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

export async function askCode(rpc: Rpc, address: Hex | string): Promise<Hex> {
  return asHex(await rpc.request('eth_getCode', [address, 'latest']));
}
