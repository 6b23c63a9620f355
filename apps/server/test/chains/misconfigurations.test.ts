// Every way to set up a live chain wrongly that we know of: each stops the start or is named by the doctor, with what to do.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createContracts } from '@presage/chain';
import { type ChainFault, findChainFaults, findForeignFaults } from '@presage/chain/setup';
import { marketFactoryAbi } from '@presage/contracts';
import * as bytecode from '@presage/contracts/bytecode';
import { encodeAbiParameters, encodeFunctionData, type Hex, parseAbiParameters } from 'viem';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { InProcessChain } from '../../../../contracts/test/in-process-chain.ts';
import { UmaOracle } from '../../../../contracts/test/uma-oracle.ts';
import { PROBED_INSTRUCTIONS } from '../../../../packages/chain/src/setup/checks/code-checks.ts';
import {
  CREATOR_ROLE,
  OPERATOR_ROLE,
  PAUSER_ROLE,
  REGISTRAR_ROLE,
} from '../../../../packages/chain/src/setup/deploy/contract-plan.ts';
import { toRpc } from '../in-process-rpc.ts';
import { addressOf, LiveChain } from './live-chain.ts';

let live: LiveChain;

beforeAll(async () => {
  live = await LiveChain.open();
});

/** BLOBHASH, BLOBBASEFEE, TLOAD, TSTORE, MCOPY, PUSH0 and CLZ. */
const NEWER_THAN_LONDON = [0x49, 0x4a, 0x5c, 0x5d, 0x5e, 0x5f, 0x1e];

/** The instructions of creation code without the metadata at its end, which is no code. */
function* instructionsOf(creation: Hex): Generator<number> {
  const code = Buffer.from(creation.slice(2), 'hex');
  const end = code.length - 2 - code.readUInt16BE(code.length - 2);
  for (let at = 0; at < end; at++) {
    const opcode = code[at]!;
    yield opcode;
    if (opcode >= 0x60 && opcode <= 0x7f) at += opcode - 0x5f;
  }
}

type Settings = LiveChain['settings'];
const NOBODY = '0x00000000000000000000000000000000000000ff';

interface Case {
  readonly name: string;
  /** What is written into the chains file. */
  readonly settings?: (settings: Settings) => object;
  readonly contracts?: (contracts: Settings['contracts']) => object;
  readonly keys?: object;
  /** What has happened on the chain. */
  readonly spoil?: (live: LiveChain) => Promise<unknown>;
  readonly nowSeconds?: () => number;
  readonly fault: RegExp;
  readonly starts?: true;
}

async function faultsOf({
  settings,
  contracts,
  keys,
  nowSeconds,
}: Omit<Case, 'name' | 'fault'>): Promise<ChainFault[]> {
  const changed = { ...live.settings.contracts, ...contracts?.(live.settings.contracts) };
  const named = Object.fromEntries(Object.entries(changed).filter(([, address]) => address !== undefined));
  return findChainFaults({
    settings: { ...live.settings, ...settings?.(live.settings), contracts: named as Settings['contracts'] },
    rpc: live.rpc,
    keys: { settler: { address: addressOf('settler') }, relayer: { address: addressOf('relayer') }, ...keys },
    ...(nowSeconds && { nowSeconds }),
  });
}

const revoke = (contract: keyof Settings['contracts'], role: Hex, account: Hex) => (chain: LiveChain) =>
  chain.asOwner(chain.settings.contracts[contract] as string, 'revokeRole', [role, account]);

const CASES: readonly Case[] = [
  { name: 'another chain id', settings: () => ({ chainId: 1 }), fault: /node is of chain 31337, not of 1/ },
  { name: 'no settlement', contracts: () => ({ settlement: NOBODY }), fault: /no contract at .*contracts\.settlement/ },
  { name: 'no tokens', contracts: () => ({ conditionalTokens: NOBODY }), fault: /contracts\.conditionalTokens/ },
  { name: 'no stablecoin', contracts: () => ({ stablecoin: NOBODY }), fault: /contracts\.stablecoin/ },
  { name: 'no factory', contracts: () => ({ marketFactory: NOBODY }), fault: /contracts\.marketFactory/ },
  { name: 'no oracle', contracts: () => ({ oracle: NOBODY }), fault: /contracts\.oracle/ },
  { name: 'no multicall', contracts: () => ({ multicall: NOBODY }), fault: /contracts\.multicall/ },
  { name: 'no anchors', contracts: () => ({ anchors: NOBODY }), fault: /contracts\.anchors/ },
  { name: 'no event factory', contracts: () => ({ eventFactory: NOBODY }), fault: /contracts\.eventFactory/ },
  {
    name: 'no quick factory',
    contracts: () => ({ quickMarketFactory: NOBODY }),
    fault: /contracts\.quickMarketFactory/,
  },
  {
    name: 'the factory in place of the settlement',
    contracts: ({ marketFactory }) => ({ settlement: marketFactory }),
    fault: /code of the settlement at .* is not of this version/,
  },
  {
    name: 'the stablecoin in place of the tokens',
    contracts: ({ stablecoin }) => ({ conditionalTokens: stablecoin }),
    fault: /settlement's conditional tokens is .*, not/,
  },
  {
    name: 'the quick factory in place of the factory',
    contracts: ({ quickMarketFactory }) => ({ marketFactory: quickMarketFactory }),
    fault: /code of the market factory at .* is not of this version/,
  },
  {
    name: 'the factory in place of the event factory',
    contracts: ({ marketFactory }) => ({ eventFactory: marketFactory }),
    fault: /no answer to the check of events/,
  },
  {
    name: 'another contract in place of multicall',
    contracts: ({ settlement }) => ({ multicall: settlement }),
    fault: /is no Multicall3/,
  },
  {
    name: 'a price oracle that the quick markets do not ask',
    contracts: ({ settlement }) => ({ priceOracle: settlement }),
    fault: /quick markets' price oracle is/,
  },
  {
    name: 'a price oracle without a factory',
    contracts: () => ({ quickMarketFactory: undefined }),
    fault: /one of them is not named/,
  },
  { name: 'a grace beyond the setting', settings: () => ({ settlementGraceSeconds: 60 }), fault: /grace is 300 s/ },
  { name: 'a start above the head', settings: () => ({ fromBlock: 9_999 }), fault: /fromBlock 9999 is above the head/ },
  {
    name: 'a start after the deployment',
    settings: ({ fromBlock }) => ({ fromBlock: fromBlock + 11 }),
    fault: /was there before fromBlock/,
  },
  {
    name: 'more gas than a block holds',
    settings: () => ({ transactionGasCap: 90_000_000 }),
    fault: /transactionGasCap 90000000 is more than a block holds/,
  },
  { name: 'another settler', keys: { settler: { address: NOBODY } }, fault: /operator is .*, not the settler 0x0+ff/ },
  {
    name: 'a settler without its office',
    spoil: revoke('settlement', OPERATOR_ROLE, addressOf('settler')),
    fault: /operator is 0x0+, not the settler/,
  },
  {
    name: 'a settler that may not create quick markets',
    spoil: revoke('quickMarketFactory', CREATOR_ROLE, addressOf('settler')),
    fault: /may not create quick markets/,
  },
  {
    name: 'a pauser without its role',
    spoil: revoke('settlement', PAUSER_ROLE, addressOf('pauser')),
    fault: /is no pauser of the settlement/,
  },
  {
    name: 'a creator who may not create events',
    spoil: revoke('eventFactory', CREATOR_ROLE, addressOf('creator')),
    fault: /may not create events/,
  },
  {
    name: 'a creator without its role',
    spoil: revoke('marketFactory', CREATOR_ROLE, addressOf('creator')),
    fault: /may not create markets/,
  },
  {
    name: 'a factory that may not register its markets',
    spoil: (chain) =>
      chain.asOwner(chain.settings.contracts.settlement, 'revokeRole', [
        REGISTRAR_ROLE,
        chain.settings.contracts.marketFactory,
      ]),
    fault: /market factory .* may not register its markets/,
  },
  {
    name: 'another owner',
    settings: () => ({ ownerAddress: NOBODY }),
    fault: /settlement belongs to .*, not to 0x0+ff/,
  },
  {
    name: 'an owner who has not accepted',
    settings: () => ({ ownerAddress: NOBODY }),
    spoil: async (chain) => {
      const { settlement, marketFactory, quickMarketFactory } = chain.settings.contracts;
      for (const each of [settlement, marketFactory, quickMarketFactory]) {
        await chain.asOwner(each as string, 'transferOwnership', [NOBODY]);
      }
    },
    fault: /was offered to its owner and still belongs to/,
    starts: true,
  },
  {
    name: 'a market oracle of somebody else',
    spoil: async (chain) => {
      const { marketFactory } = chain.settings.contracts;
      const contracts = createContracts({ rpc: chain.rpc, deployment: chain.settings.contracts });
      const markets = await contracts.marketFactory.read('marketImplementation', []);
      const marketOracle = await contracts.market(markets).read('marketOracle', []);
      await chain.asOwner(marketOracle, 'transferOwnership', [marketFactory]);
      const data = encodeFunctionData({ abi: marketFactoryAbi, functionName: 'acceptOwnership' });
      await chain.chain.sendAs(marketFactory, { to: marketOracle, data });
    },
    fault: /market oracle belongs to 0x/,
  },
  {
    name: 'an owner whose key the service has',
    keys: { relayer: { address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266' } },
    fault: /owns the settlement and signs for the service/,
  },
  {
    name: 'another treasury',
    settings: () => ({ treasury: NOBODY }),
    fault: /pays fees to 0x0+, not to 0x0+ff/,
  },
  {
    name: 'our oracle with nobody named',
    settings: () => ({ arbitratorAddress: undefined }),
    fault: /decides every dispute, and nobody named them/,
  },
  {
    name: 'another arbitrator',
    settings: () => ({ arbitratorAddress: NOBODY }),
    fault: /arbitrator is .*, not 0x0+ff/,
  },
  {
    name: 'a settler without gas money',
    spoil: (chain) => chain.setBalance(addressOf('settler'), '0x0'),
    fault: /the settler .* has no gas money/,
    starts: true,
  },
  {
    name: 'a relayer without gas money',
    spoil: (chain) => chain.setBalance(addressOf('relayer'), '0x0'),
    fault: /the relayer .* has no gas money/,
    starts: true,
  },
  {
    name: 'a settlement that is paused',
    spoil: (chain) => chain.asOwner(chain.settings.contracts.settlement, 'pause'),
    fault: /settlement is paused/,
    starts: true,
  },
  { name: 'a node that sleeps', nowSeconds: () => 4e9, fault: /newest block is \d+ s old/, starts: true },
  {
    name: 'a signer that does not answer',
    keys: { settler: { address: addressOf('settler'), url: 'http://127.0.0.1:1' } },
    fault: /the settler's signer at 127\.0\.0\.1:1 does not answer/,
    starts: true,
  },
];

/** Takes `mint(uint256)` and reverts otherwise. */
const MINTS_TO_SENDER: Hex = '0x60138060095f395ff35f3560e01c63a0712d68146011575f5ffd5b00';

describe('a live chain', () => {
  it('is fit where everything is as its settings say', async () => {
    expect(await faultsOf({})).toEqual([]);
  });

  it.each(CASES)('with $name is not', async ({ spoil = async () => undefined, fault, starts = false, ...changes }) => {
    const faults = await live.spoilt(spoil, () => faultsOf(changes));
    const named = faults.find(({ detail }) => fault.test(detail));
    expect(named, faults.map(({ detail }) => detail).join('\n')).toMatchObject({ isFatal: !starts });
    expect(named?.remedy).toMatch(/^[A-Z].*\.$/);
  });

  it('is not fit with a stablecoin of other decimals, of another permit domain, or that anybody mints', async () => {
    const detailsWith = async (stablecoin: Hex) => {
      const faults = await faultsOf({ contracts: () => ({ stablecoin }) });
      return faults.map(({ detail }) => detail).join('\n');
    };
    expect(await detailsWith(await live.deployStablecoin({ decimals: 18 }))).toMatch(/has 18 decimals instead of 6/);
    expect(await detailsWith(await live.deployStablecoin({ version: '1' }))).toMatch(/permit domain is not what/);
    expect(await detailsWith(await live.deploy(bytecode.testStablecoinBytecode))).toMatch(/anybody may mint/);
    expect(await detailsWith(await live.deploy(MINTS_TO_SENDER))).toMatch(/anybody may mint/);
    expect(await detailsWith(live.settings.contracts.multicall as Hex)).toMatch(/has no permits/);
  });

  it("is not fit with the sandbox's price oracle, or with a UMA that does not know the stablecoin", async () => {
    const args = encodeAbiParameters(parseAbiParameters('address'), [NOBODY]);
    const priceOracle = await live.deploy(`${bytecode.priceOracleBytecode}${args.slice(2)}` as Hex);
    const simulated = await faultsOf({ contracts: () => ({ priceOracle }) });
    expect(simulated.map(({ detail }) => detail)).toContain('the price oracle is the one of the sandbox');
    const uma = await UmaOracle.deploy(live.chain, await live.deployStablecoin());
    const unknown = await faultsOf({ contracts: () => ({ oracle: uma.address }) });
    expect(unknown.map(({ detail }) => detail).join('\n')).toMatch(/UMA's oracle takes no bonds in/);
  });

  it.each([
    ['London', ['PUSH0 (Shanghai)', 'MCOPY (Cancun)']],
    ['Shanghai', ['MCOPY (Cancun)']],
    ['Cancun', []],
  ])('by the rules of %s lacks the instructions %j', async (hardfork, missing) => {
    const rpc = toRpc(await InProcessChain.open({ hardfork }));
    const keys = { settler: { address: addressOf('settler') }, relayer: { address: addressOf('relayer') } };
    const faults = await findChainFaults({ settings: live.settings, rpc, keys });
    const lacking = faults.filter(({ detail }) => detail.startsWith('the EVM has no'));
    expect(lacking.map(({ detail }) => detail.match(/no (.*): eth_call of the code 0x/)?.[1])).toEqual(missing);
    for (const { isFatal, remedy } of lacking) {
      expect(isFatal).toBe(true);
      expect(remedy).toMatch(/EVM of Cancun or later/);
    }
    // Before a deployment the same, and nothing else, since nothing else could be believed.
    const foreign = await findForeignFaults({ settings: live.settings, rpc, keys }, new Set());
    expect(foreign.filter(({ detail }) => detail.startsWith('the EVM has no'))).toEqual(lacking);
    if (missing.length > 0) expect([faults, foreign]).toEqual([lacking, lacking]);
  });

  it('is asked for every instruction of the contracts that an EVM of London does not have', () => {
    const used = new Set(Object.values(bytecode).flatMap((code) => [...instructionsOf(code)]));
    const probed = PROBED_INSTRUCTIONS.map(({ opcode }) => opcode);
    expect(NEWER_THAN_LONDON.filter((opcode) => used.has(opcode)).sort()).toEqual([...probed].sort());
  });

  it('is not fit with a signer that has other keys', async () => {
    const server = createServer((_, response) =>
      response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: [NOBODY] })),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const faults = await faultsOf({ keys: { relayer: { address: addressOf('relayer'), url } } });
    expect(faults.map(({ detail }) => detail).join('\n')).toMatch(/has no key of the relayer/);
  });
});
