// Deterministic deployment through the well-known CREATE2 proxy, which has the same address on every chain.
import type { Hex } from '@presage/protocol';
import { concatHex, getCreate2Address, numberToHex } from 'viem';

export const CREATE2_PROXY = '0x4e59b44847b379578588920cA78FbF26c0B4956C';

/** An account without a private key: its one transaction was made with a made-up signature, which fixes the proxy's address. */
export const PROXY_DEPLOYER = '0x3fAB184622Dc19b6109349B94811493BF2a45362';

/** 100,000 gas at 100 gwei, exactly the offer of the signed transaction. */
export const PROXY_DEPLOYER_COST = 10n ** 16n;

export const PROXY_DEPLOYMENT: Hex =
  '0xf8a58085174876e800830186a08080b853604580600e600039806000f350fe7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf31ba02222222222222222222222222222222222222222222222222222222222222222a02222222222222222222222222222222222222222222222222222222222222222';

export interface Create2Plan {
  readonly address: Hex;
  readonly creationCode: Hex;
  /** Call data for the proxy. */
  readonly data: Hex;
}

export function planCreate2(creationCode: Hex, saltNumber: bigint): Create2Plan {
  const salt = numberToHex(saltNumber, { size: 32 });
  return {
    address: getCreate2Address({ from: CREATE2_PROXY, salt, bytecode: creationCode }),
    creationCode,
    data: concatHex([salt, creationCode]),
  };
}
