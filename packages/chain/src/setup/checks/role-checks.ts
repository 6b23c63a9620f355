// Checks that the right keys hold the right roles, and that no key holds two.
import { marketOracleAbi } from '@presage/contracts';
import type { Hex } from '@presage/protocol';
import type { Contracts } from '../../contracts.ts';
import { readContractsFeatures } from '../../contracts-version.ts';
import { ContractReverted, TypedContract } from '../../typed-contract.ts';
import { CREATOR_ROLE, PAUSER_ROLE, REGISTRAR_ROLE } from '../deploy/contract-plan.ts';
import {
  type ChainCheck,
  type ChainFault,
  type CheckedChain,
  fault,
  isSame,
  type ServiceKeys,
  warning,
} from './chain-fault.ts';

type NamedAddresses = Pick<
  CheckedChain['settings'],
  'ownerAddress' | 'pauserAddress' | 'creatorAddress' | 'arbitratorAddress'
>;

const OWN_KEYS = 'Give each role a key of its own: whoever steals one then has one.';

/** Needs no chain. */
export function findSharedKeys(settings: NamedAddresses, { settler, relayer, creator }: ServiceKeys): ChainFault[] {
  const roles: [string, string | undefined][] = [
    ['settlerKey', settler.address],
    ['relayerKey', relayer.address],
    ['ownerAddress', settings.ownerAddress],
    ['pauserAddress', settings.pauserAddress],
    ['creatorAddress', settings.creatorAddress ?? creator?.address],
    ['arbitratorAddress', settings.arbitratorAddress],
  ];
  const shared = roles.flatMap(([role, address], index) => {
    const twin = roles.slice(0, index).find(([, other]) => address !== undefined && other && isSame(other, address));
    return twin === undefined ? [] : [fault(`${role} and ${twin[0]} are the same account ${address}`, OWN_KEYS)];
  });
  const isOther =
    creator !== undefined && settings.creatorAddress !== undefined && !isSame(creator.address, settings.creatorAddress);
  const remedy = 'Correct creatorAddress, or name the key of that account.';
  return isOther ? [...shared, fault(`creatorKey is of ${creator.address}, not of creatorAddress`, remedy)] : shared;
}

/** The roles that must be named; where each is named, its holder is checked. */
export function findUnnamedRoles(settings: NamedAddresses): ChainFault[] {
  const needed = ['ownerAddress', 'pauserAddress', 'creatorAddress'] as const;
  const unnamed = needed.filter((name) => settings[name] === undefined);
  return unnamed.map((name) => fault(`${name} is missing`, 'Name it, so that its role can be checked.'));
}

export const checkRoles: ChainCheck = async ({ settings, contracts, keys }) => {
  const { settlement, marketFactory, quick, events } = contracts;
  const { pauserAddress: pauser, creatorAddress: creator } = settings;
  const settler = keys.settler.address;
  const operator = await settlement.read('operator', []);
  const isQuickCreator = (await quick?.factory.read('hasRole', [CREATOR_ROLE, settler])) ?? true;
  const isPauser = pauser === undefined || (await settlement.read('hasRole', [PAUSER_ROLE, pauser]));
  const isCreator = creator === undefined || (await marketFactory.read('hasRole', [CREATOR_ROLE, creator]));
  const isEventCreator =
    creator === undefined || ((await events?.factory.read('hasRole', [CREATOR_ROLE, creator])) ?? true);
  const grant = (role: string, who: string) => `Have the owner run \`presage owner grant ${role} ${who}\`.`;
  return [
    !isSame(operator, settler) &&
      fault(
        `the settlement's operator is ${operator}, not the settler ${settler}`,
        `Use the operator's key, or: ${grant('operator', settler)}`,
      ),
    !isQuickCreator && fault(`the settler ${settler} may not create quick markets`, grant('quick-creator', settler)),
    !isPauser && fault(`${pauser} is no pauser of the settlement`, grant('pauser', String(pauser))),
    !isCreator && fault(`${creator} may not create markets`, grant('creator', String(creator))),
    !isEventCreator && fault(`${creator} may not create events`, grant('event-creator', String(creator))),
  ];
};

/** A factory that may not register its markets cannot create any. Contracts of version 2 let anybody register. */
export const checkRegistrars: ChainCheck = async ({ contracts }) => {
  if (!(await readContractsFeatures(contracts)).endsMarkets) return [];
  const { settlement, marketFactory, quick, events } = contracts;
  const factories: [string, Hex][] = [['market factory', marketFactory.address]];
  if (events !== undefined) factories.push(['event factory', events.factory.address]);
  if (quick !== undefined) factories.push(['quick market factory', quick.factory.address]);
  const faults = factories.map(async ([name, address]) => {
    const remedy = `Have the owner run \`presage owner grant registrar ${address}\`.`;
    const isRegistrar = await settlement.read('hasRole', [REGISTRAR_ROLE, address]);
    return !isRegistrar && fault(`the ${name} ${address} may not register its markets with the settlement`, remedy);
  });
  return Promise.all(faults);
};

/** The published treasury must be the one that is paid; if none is named, no market can have fees. */
export const checkTreasury: ChainCheck = async ({ settings: { treasury }, contracts }) => {
  if (treasury === undefined) return [];
  if (!(await readContractsFeatures(contracts)).hasFees) {
    return [fault('treasury is named, and the contracts are of a version without fees', 'Leave treasury out.')];
  }
  const paid = await contracts.settlement.read('treasury', []);
  const remedy = `Correct treasury, or have the owner run \`presage owner treasury ${treasury}\`.`;
  return [!isSame(paid, treasury) && fault(`the settlement pays fees to ${paid}, not to ${treasury}`, remedy)];
};

export const checkOwners: ChainCheck = async ({ rpc, settings, contracts, keys }) => {
  const { settlement, marketFactory, quick, events } = contracts;
  const owned: [string, Hex | undefined][] = [
    ['settlement', settlement.address],
    ['market factory', marketFactory.address],
    ['market oracle', await findMarketOracle(contracts)],
    ['event factory', events?.factory.address],
    ['quick market factory', quick?.factory.address],
  ];
  const faults = owned.map(async ([name, address]) => {
    if (address === undefined) return [];
    // All contracts with an owner share these functions.
    const contract = new TypedContract(rpc, address, marketOracleAbi);
    const [owner, pending] = [await contract.read('owner', []), await contract.read('pendingOwner', [])];
    return [...judgeOwner(name, owner, pending, settings.ownerAddress), findHotOwner(name, owner, keys)];
  });
  return (await Promise.all(faults)).flat();
};

/** The contract that decides which oracle judges the markets. No file names it; markets of version 2 have none. */
async function findMarketOracle({ marketFactory, market }: Contracts): Promise<Hex | undefined> {
  const implementation = await marketFactory.read('marketImplementation', []);
  return market(implementation)
    .read('marketOracle', [])
    .catch((error: unknown) => {
      if (error instanceof ContractReverted) return undefined;
      throw error;
    });
}

function judgeOwner(name: string, owner: string, pending: string, named: string | undefined): (ChainFault | false)[] {
  if (named === undefined || isSame(owner, named)) return [];
  if (isSame(pending, named)) {
    const remedy = `Have ${named} run \`presage owner accept\`.`;
    return [warning(`the ${name} was offered to its owner and still belongs to ${owner}`, remedy)];
  }
  const remedy = `Correct ownerAddress, or have ${owner} call transferOwnership(${named}).`;
  return [fault(`the ${name} belongs to ${owner}, not to ${named}`, remedy)];
}

function findHotOwner(name: string, owner: string, { settler, relayer }: ServiceKeys): ChainFault | false {
  const isHot = [settler, relayer].some(({ address }) => isSame(address, owner));
  return isHot && fault(`${owner} owns the ${name} and signs for the service`, OWN_KEYS);
}
