// Every mistake in a chains file and in its keys stops a live start by name, says what is expected, and shows no secret.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type ConfigInvalid, readConfig } from '../src/config.ts';

const dir = mkdtempSync(join(tmpdir(), 'presage-chains-'));
afterAll(() => rmSync(dir, { recursive: true }));

const address = (byte: string) => `0x${byte.repeat(20)}`;
const key = (byte: string) => `0x${byte.repeat(32)}`;
const CONTRACTS = {
  settlement: address('01'),
  conditionalTokens: address('02'),
  stablecoin: address('03'),
  marketFactory: address('04'),
  oracle: address('06'),
  multicall: address('05'),
};
const GOOD = {
  chainId: 137,
  rpcUrls: ['http://127.0.0.1:8545', 'https://node.example/v2/abc'],
  settlerKey: 'env:SETTLER_KEY',
  relayerKey: `file:${keyFile('relayer', key('88'))}`,
  ownerAddress: address('a1'),
  pauserAddress: address('a2'),
  creatorAddress: address('a3'),
  contracts: CONTRACTS,
};
const LIVE = { PRESAGE_PROFILE: 'live', PRESAGE_SERVICE_NAME: 'Mine', SETTLER_KEY: key('77') };

function keyFile(name: string, text: string, mode = 0o600): string {
  const path = join(dir, name);
  writeFileSync(path, `${text}\n`, { mode });
  chmodSync(path, mode);
  return path;
}

function faultsOf(file: unknown, environment: Record<string, string> = {}): readonly string[] {
  const path = join(dir, 'chains.json');
  writeFileSync(path, typeof file === 'string' ? file : JSON.stringify(file));
  try {
    readConfig({ ...LIVE, PRESAGE_CHAINS: path, ...environment });
    return [];
  } catch (error) {
    return (error as ConfigInvalid).faults;
  }
}

const chain = (changes: object) => ({ chains: [{ ...GOOD, ...changes }] });
const contract = (changes: object) => chain({ contracts: { ...CONTRACTS, ...changes } });

const CASES: readonly (readonly [string, unknown, RegExp])[] = [
  ['is not JSON', '{', /is not JSON/],
  ['names no chain', { chains: [] }, /chains: give a list of at least one chain/],
  ['has its chains as an object', { chains: {} }, /chains: give a list, not \{\}/],
  ['has a field beside chains', { ...chain({}), version: 1 }, /version: there is no such field; there are chains/],
  [
    'has a check that is mistyped',
    chain({ collateralCheck: 'enforced' }),
    /collateralCheck: give "enforce" or "off", not "enforced"/,
  ],
  [
    'has confirmations as a text',
    chain({ confirmations: '2' }),
    /confirmations: give a whole number from 1 to 1000, not "2"/,
  ],
  ['has no confirmations', chain({ confirmations: 0 }), /confirmations: give .*, not 0/],
  ['has a chain id as a text', chain({ chainId: '137' }), /chainId: give the chain id, a whole number, not "137"/],
  ['has a fractional chain id', chain({ chainId: 1.5 }), /chainId: give .*, not 1\.5/],
  [
    'has an unknown field',
    chain({ confirmation: 2 }),
    /chains\[0\]\.confirmation: there is no such field; there are chainId/,
  ],
  ['has a node in the old field', chain({ rpcUrl: 'http://x' }), /rpcUrl: there is no such field/],
  ['names no node', chain({ rpcUrls: [] }), /rpcUrls: give a list of 1 to 8/],
  ['names a node as a text', chain({ rpcUrls: 'http://x' }), /rpcUrls: give a list, not "http:\/\/x"/],
  [
    'names a node by WebSocket',
    chain({ rpcUrls: ['ws://x'] }),
    /rpcUrls\[0\]: give the http\(s\) URL of a node, not "ws:/,
  ],
  ['has a port that is none', chain({ rpcUrls: ['http://node:port'] }), /rpcUrls\[0\]: give .* a number as its port/],
  ['has a node with a fragment', chain({ rpcUrls: ['http://x', 'http://y/#key'] }), /rpcUrls\[1\]: give .* without #/],
  ['has an explorer that is a script', chain({ explorerUrl: 'javascript:1' }), /explorerUrl: give the http\(s\) URL/],
  ['lacks its contracts', chain({ contracts: undefined }), /contracts: is missing/],
  [
    'lacks the oracle',
    contract({ oracle: undefined }),
    /contracts\.oracle: is missing; give the address of the optimistic oracle/,
  ],
  [
    'has a short address',
    contract({ settlement: '0x12' }),
    /contracts\.settlement: give the address of PresageSettlement, not "0x12"/,
  ],
  ['has an unknown contract', contract({ vault: address('07') }), /contracts\.vault: there is no such field/],
  ['has a negative size', chain({ minOrderSize: -1 }), /minOrderSize: give a whole number/],
  ['has too many batches', chain({ batchesInFlight: 99 }), /batchesInFlight: give a whole number from 1 to 48/],
  [
    'has a gas cap for nothing',
    chain({ transactionGasCap: 21_000 }),
    /transactionGasCap: give a whole number of at least 2000000/,
  ],
  ['has a tip as a text', chain({ minTipGwei: '1' }), /minTipGwei: give a number of gwei/],
  [
    'has a fee below its tip',
    chain({ minTipGwei: 30, maxFeeGwei: 1 }),
    /maxFeeGwei: give a number of gwei, not less than minTipGwei \(30\)/,
  ],
  [
    'has a grace of hours',
    chain({ settlementGraceSeconds: 9_000 }),
    /settlementGraceSeconds: give a whole number from 0 to 3600/,
  ],
  ['has bonds with decimals', chain({ sponsoredBondsPerDay: 0.5 }), /sponsoredBondsPerDay: give a whole number/],
  [
    'starts before the first block',
    chain({ fromBlock: -1 }),
    /fromBlock: give the block in which the contracts were deployed/,
  ],
  ['has a name of no letter', chain({ name: '' }), /name: give a name of 1 to 64 characters/],
  ['lacks a key', chain({ relayerKey: undefined }), /relayerKey: is missing; give the source of the relayer's key/],
  ['has the key itself', chain({ settlerKey: key('77') }), /settlerKey: holds the key itself.*write env:NAME/],
  ['has a key that is cut short', chain({ settlerKey: key('77').slice(0, 60) }), /settlerKey: is no source of a key/],
  ['names a variable that is not set', chain({ settlerKey: 'env:NOWHERE' }), /environment variable NOWHERE is not set/],
  [
    'names a variable without a key',
    chain({ settlerKey: 'env:PRESAGE_PROFILE' }),
    /PRESAGE_PROFILE does not hold a private key/,
  ],
  [
    'names a file that others can read',
    chain({ settlerKey: `file:${keyFile('open', key('71'), 0o644)}` }),
    /others on this machine can read .*chmod 600/,
  ],
  [
    'names a file that is not there',
    chain({ settlerKey: 'file:/nowhere/key' }),
    /\/nowhere\/key cannot be read \(ENOENT\)/,
  ],
  [
    'names a file without a key',
    chain({ settlerKey: `file:${keyFile('none', 'hunter2')}` }),
    /none does not hold a private key/,
  ],
  [
    'has a key of zero',
    chain({ settlerKey: `file:${keyFile('zero', key('00'))}` }),
    /zero does not hold a private key/,
  ],
  [
    'names a signer without an account',
    chain({ settlerKey: 'signer:http://127.0.0.1:9000' }),
    /names no external signer; write signer:/,
  ],
  ['has one key for two', chain({ relayerKey: 'env:SETTLER_KEY' }), /relayerKey and settlerKey are the same account/],
  [
    'has a relayer that pauses',
    chain({ pauserAddress: address('a1') }),
    /pauserAddress and ownerAddress are the same account/,
  ],
  [
    'has a signer that owns',
    chain({ settlerKey: `signer:http://127.0.0.1:9000#${address('a1')}` }),
    /ownerAddress and settlerKey are the same account/,
  ],
  [
    'has a creator of another key',
    chain({ creatorKey: 'env:SETTLER_KEY' }),
    /creatorKey is of .*, not of creatorAddress/,
  ],
  ['names no owner', chain({ ownerAddress: undefined }), /ownerAddress is missing/],
  ['names no pauser', chain({ pauserAddress: undefined }), /pauserAddress is missing/],
  ['names no creator', chain({ creatorAddress: undefined }), /creatorAddress is missing/],
  [
    'has a published owner',
    chain({ ownerAddress: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266' }),
    /key of the published test mnemonic/,
  ],
  ['is of a sandbox', chain({ chainId: 31_338 }), /refuses the sandbox chain 31338/],
  ['has its check off', chain({ collateralCheck: 'off' }), /needs collateralCheck "enforce"/],
  ['has a chain twice', { chains: [GOOD, GOOD] }, /chains\[1\]\.chainId: 137 is listed already/],
  [
    'has two chains with one factory',
    { chains: [GOOD, { ...GOOD, chainId: 10 }] },
    /chains\[1\]\.contracts\.marketFactory: .* another salt/,
  ],
];

describe('a chains file', () => {
  it('that is as documented is read, with its keys from where they are', () => {
    expect(faultsOf(chain({}))).toEqual([]);
    expect(faultsOf(chain({ settlerKey: `signer:http://127.0.0.1:9000#${address('a9')}` }))).toEqual([]);
  });

  it.each(CASES)('that %s is refused, with what is expected', (_, file, fault) => {
    const faults = faultsOf(file);
    expect(faults.join('\n')).toMatch(fault);
    expect(faults.join('\n')).not.toMatch(/hunter2|(77){20}|(71){20}/);
  });

  it('reports every fault at once', () => {
    const faults = faultsOf(
      chain({ chainId: '1', name: 5, confirmations: '2', minTipGwei: 'x', settlerKey: 1, extra: 1 }),
    );
    expect(faults).toHaveLength(6);
  });
});
