// Actions of the contracts' owner: accepts and offers ownership, grants and revokes roles, sets the treasury.
import { readFile } from 'node:fs/promises';
import { TypedContract } from '@presage/chain';
import { readChainsFile } from '@presage/chain/setup';
import { marketAbi, marketFactoryAbi, ownerTimelockAbi, presageSettlementAbi } from '@presage/contracts';
import { asHex, type Hex } from '@presage/protocol';
import { encodeFunctionData, getAddress, isAddress, isAddressEqual, keccak256, stringToHex, zeroAddress } from 'viem';
import type { Call } from '../command-spec.ts';
import type { Context } from '../context.ts';
import { drawTime } from '../durations.ts';
import { UsageError } from '../exit-codes.ts';
import { chainOf } from '../values.ts';
import { NodeAccess, readSigner, type SentCall, withNode } from './node-access.ts';
import { type OwnerReport, sendAsOwner } from './owner-call.ts';

export interface OwnerOptions {
  readonly rpc: string;
  readonly key: string;
  readonly chain?: string;
  readonly chains?: string;
}

type ContractName = 'settlement' | 'marketFactory' | 'eventFactory' | 'quickMarketFactory' | 'marketOracle';
interface Target {
  readonly chainId: number;
  readonly contracts: Readonly<Partial<Record<ContractName, Hex>>>;
}

/** The contracts that keep each role. */
export const ROLES: Readonly<Record<string, readonly ContractName[]>> = {
  operator: ['settlement'],
  pauser: ['settlement'],
  registrar: ['settlement'],
  creator: ['marketFactory'],
  'event-creator': ['eventFactory'],
  'quick-creator': ['quickMarketFactory'],
};

/** Only the settlement has `acceptOperator`; every contract has the other functions used here. */
const abi = presageSettlementAbi;

/** Accepts ownership that was offered to the key, or to a timelock, which anybody may tell to accept. */
export async function acceptOwnership({ context, options }: Call<OwnerOptions>): Promise<void> {
  await withTarget(context, options, async ({ contracts }, node) => {
    const accepted: { contract: string; done: string; txHash: Hex }[] = [];
    for (const [contract, address] of Object.entries(contracts)) {
      const calls = await findOffers(node, asHex(address));
      for (const { done, ...call } of calls) {
        context.output.note(`${contract}: ${done}...`);
        accepted.push({ contract, done, txHash: await node.send(call, context.signal) });
      }
    }
    if (accepted.length === 0) {
      throw new UsageError(
        `nothing was offered to ${node.account.address}`,
        'Offer it with `presage owner offer` first.',
      );
    }
    const lines = accepted.map(({ contract, done, txHash }) => `${contract}: ${done} (${txHash})`);
    context.output.show({ accepted }, () => lines.join('\n'));
  });
}

async function findOffers(node: NodeAccess, to: Hex): Promise<(SentCall & { readonly done: string })[]> {
  const contract = new TypedContract(node.rpc, to, abi);
  const me = node.account.address;
  const calls: (SentCall & { readonly done: string })[] = [];
  const pending = await contract.read('pendingOwner', []);
  if (isAddressEqual(pending, me)) calls.push({ ...contract.call('acceptOwnership', []), done: 'ownership accepted' });
  else if (!isAddressEqual(pending, zeroAddress) && (await isContract(node, pending))) {
    const data = encodeFunctionData({ abi: ownerTimelockAbi, functionName: 'acceptOwnershipOf', args: [to] });
    calls.push({ to: pending, data, done: `ownership accepted by ${pending}` });
  }
  // A factory has no operator and reverts.
  const operator = await contract.read('pendingOperator', []).catch(() => zeroAddress);
  if (isAddressEqual(operator, me)) calls.push({ ...contract.call('acceptOperator', []), done: 'operator accepted' });
  return calls;
}

async function isContract({ rpc }: NodeAccess, address: Hex): Promise<boolean> {
  return (await rpc.request('eth_getCode', [address, 'latest'])) !== '0x';
}

export async function offerOwnership({ context, args: [text = ''], options }: Call<OwnerOptions>): Promise<void> {
  const account = parseAddress(text);
  const data = encodeFunctionData({ abi, functionName: 'transferOwnership', args: [account] });
  const names = ['settlement', 'marketFactory', 'eventFactory', 'quickMarketFactory', 'marketOracle'] as const;
  await sendToAll(context, options, { names, data, what: `ownership offered to ${account}` });
}

export function changeRole(change: 'grant' | 'revoke') {
  return async ({ context, args: [role = '', text = ''], options }: Call<OwnerOptions>): Promise<void> => {
    const names = ROLES[role];
    if (names === undefined)
      throw new UsageError(`"${role}" is not a role`, `Write one of ${Object.keys(ROLES).join(', ')}.`);
    const account = parseAddress(text);
    const id = keccak256(stringToHex(`${role.replace(/^(quick|event)-/, '').toUpperCase()}_ROLE`));
    const functionName = change === 'grant' ? 'grantRole' : 'revokeRole';
    const data = encodeFunctionData({ abi, functionName, args: [id, account] });
    const what = `${role} ${change === 'grant' ? 'granted to' : 'revoked from'} ${account}`;
    await sendToAll(context, options, { names, data, what });
    if (change === 'grant' && role === 'operator') {
      context.output.note('a new operator accepts it: `presage owner accept` with the key of the new settler');
    }
  };
}

export async function nameTreasury({ context, args: [text = ''], options }: Call<OwnerOptions>): Promise<void> {
  const account = parseAddress(text);
  const data = encodeFunctionData({ abi, functionName: 'setTreasury', args: [account] });
  await sendToAll(context, options, { names: ['settlement'], data, what: `fees go to ${account}` });
}

interface OwnerCall {
  readonly names: readonly ContractName[];
  readonly data: Hex;
  readonly what: string;
}

async function sendToAll(context: Context, options: OwnerOptions, { names, data, what }: OwnerCall): Promise<void> {
  await withTarget(context, options, async ({ chainId, contracts }, node) => {
    const sent: (OwnerReport & { readonly contract: ContractName })[] = [];
    for (const contract of names) {
      const to = contracts[contract];
      if (to !== undefined) sent.push({ contract, ...(await sendAsOwner(node, { to, data }, context.signal)) });
      // The chains file names all contracts; a service does not.
      else if (options.chains === undefined)
        context.output.note(`${contract}: unknown to the service; name the chains file with --chains`);
    }
    if (sent.length === 0) {
      throw new UsageError(`the service does not name ${names.join(' and ')}`, 'Name the chains file with --chains.');
    }
    context.output.show({ chainId, what, sent }, () => sent.map((report) => draw(what, report)).join('\n'));
  });
}

function draw(what: string, { contract, done, txHash, from }: OwnerReport & { readonly contract: string }): string {
  if (done === 'sent') return `${contract}: ${what} (${txHash})`;
  if (done === 'withdrawn') return `${contract}: announced too long ago, now withdrawn; run the same command again`;
  return `${contract}: announced to the timelock; run the same command again from ${drawTime(from ?? 0)} UTC`;
}

async function withTarget(
  context: Context,
  options: OwnerOptions,
  work: (target: Target, node: NodeAccess) => Promise<void>,
): Promise<void> {
  const target = await findTarget(context, options);
  await withNode(options.rpc, async () => {
    const node = await NodeAccess.open(options.rpc, readSigner(options.key, context.env), target.chainId);
    const marketOracle = await findMarketOracle(node, target);
    await work({ ...target, contracts: { ...target.contracts, ...marketOracle } }, node);
  });
}

/** Reads the market oracle from the market implementation, because no file names it; earlier contracts have none. */
async function findMarketOracle(node: NodeAccess, { contracts: { marketFactory } }: Target) {
  if (marketFactory === undefined) return {};
  const implementation = await new TypedContract(node.rpc, marketFactory, marketFactoryAbi).read(
    'marketImplementation',
    [],
  );
  const market = new TypedContract(node.rpc, implementation, marketAbi);
  return market.read('marketOracle', []).then(
    (marketOracle) => ({ marketOracle }),
    () => ({}),
  );
}

/** Finds the contracts in the chains file, which needs no running service and names every contract, or asks the service. */
async function findTarget(context: Context, options: OwnerOptions): Promise<Target> {
  const { chainId: wanted } = chainOf(options);
  const isWanted = ({ chainId }: { readonly chainId: number }) => wanted === undefined || chainId === wanted;
  if (options.chains !== undefined) {
    const text = await readFile(options.chains, 'utf8').catch(() => {
      throw new UsageError(`${options.chains} cannot be read`, 'Name the file that `presage deploy` wrote.');
    });
    const found = readChainsFile(text).chains.find(isWanted);
    if (found === undefined)
      throw new UsageError(`${options.chains} has no chain ${wanted ?? ''}`, 'Name one of its chains with --chain.');
    const { settlement, marketFactory, eventFactory, quickMarketFactory } = found.contracts;
    const events = eventFactory === undefined ? {} : { eventFactory };
    const quick = quickMarketFactory === undefined ? {} : { quickMarketFactory };
    return { chainId: found.chainId, contracts: { settlement, marketFactory, ...events, ...quick } };
  }
  const chain = (await context.config()).chains.find(isWanted);
  if (chain === undefined)
    throw new UsageError(`${context.url} does not serve chain ${wanted}`, 'Name one of its chains with --chain.');
  const { chainId, settlement, marketFactory, eventFactory } = chain;
  const events = eventFactory === undefined ? {} : { eventFactory: asHex(eventFactory) };
  const contracts = { settlement: asHex(settlement.address), marketFactory: asHex(marketFactory), ...events };
  return { chainId, contracts };
}

function parseAddress(text: string): Hex {
  if (isAddress(text, { strict: false })) return getAddress(text);
  throw new UsageError(`"${text}" is not an address`, 'Write 0x and 40 hex digits.');
}
