// The sandbox's published keys that the tests send from: funded at genesis, worth nothing anywhere else.
import { privateKeyToAccount } from 'viem/accounts';

export const CHAIN_ID = 31337;
/** Key 1 of the published test mnemonic; written out, because deriving it costs a second per process. */
export const SETTLER = privateKeyToAccount('0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d');
/** Key 2, which takes the place of the first in one test. */
export const NEXT_SETTLER = privateKeyToAccount('0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a');
/** Key 0, who deploys. */
export const OWNER_ADDRESS = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266';
