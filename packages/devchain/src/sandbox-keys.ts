// Published test keys of the private chain, the role of each, and the id of the first chain.
import type { Hex } from '@presage/protocol';

/** Further chains of a sandbox are numbered from here. */
export const FIRST_CHAIN_ID = 31337;

/** The mnemonic that every development node publishes; worthless anywhere else, so the live profile refuses it. */
export const SANDBOX_MNEMONIC = 'test test test test test test test test test test test junk';

/**
 * The eighth account of the mnemonic, which receives the fees. It has no gas: a funded account would change genesis,
 * and so the chain.
 */
export const SANDBOX_TREASURY: Hex = '0x14dC79964da2C08b23698B3D3cc7Ca32193d9955';

export type SandboxRole = 'owner' | 'settler' | 'relayer' | 'feedSigner' | 'arbitrator' | 'disputer' | 'demoWallet';

export interface SandboxKey {
  readonly role: SandboxRole;
  readonly address: Hex;
  readonly privateKey: Hex;
}

// Written out because deriving costs a slow hash per key at every start; a test derives them.
export const sandboxKeys: readonly SandboxKey[] = [
  {
    role: 'owner',
    address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
    privateKey: '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
  },
  {
    role: 'settler',
    address: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
    privateKey: '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d',
  },
  {
    role: 'relayer',
    address: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
    privateKey: '0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a',
  },
  {
    role: 'feedSigner',
    address: '0x90F79bf6EB2c4f870365E785982E1f101E93b906',
    privateKey: '0x7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6',
  },
  {
    role: 'arbitrator',
    address: '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65',
    privateKey: '0x47e179ec197488593b187f80a00eb0da91f1b9d0b13f8733639f19c30a34926a',
  },
  {
    role: 'disputer',
    address: '0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc',
    privateKey: '0x8b3a350cf5c34c9194ca85829a2df0ec3153be0318b5e2d3348e872092edffba',
  },
  {
    role: 'demoWallet',
    address: '0x976EA74026E726554dB657fA54763abd0C3a0aa9',
    privateKey: '0x92db14e403b83dfe3df233f83dfa3a0d7096f21ca9b0d6d6b8d88b2b4ec1564e',
  },
];

export function keyOf(role: SandboxRole): SandboxKey {
  const key = sandboxKeys.find((candidate) => candidate.role === role);
  if (!key) throw new Error(`no sandbox key for ${role}`);
  return key;
}
