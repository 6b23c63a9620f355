// Wallets of the demo: maker and first taker are accounts 7 and 8 of the published test mnemonic, without a role; other keys derive from names.
import { keccak256, toBytes } from 'viem';

export const MAKER_KEY = '0x4bbbf85ce3377467afe5d46f804f221813b2bb87f24d81f60f1fcdbf7cbf4356';
const TAKER_KEY = '0xdbda1821b80551c9d65939329250298aa3472ba22feea921c0cf5d620ea67b97';
const CROWD = ['ada', 'bea', 'cem', 'dov', 'eva'];
export const TAKER_KEYS = [
  TAKER_KEY,
  ...CROWD.map((name) => keccak256(toBytes(`presage demo taker ${name}`))),
] as const;
