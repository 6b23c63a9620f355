// The contracts that a chain needs, with their arguments and so their addresses, before anything is sent.
import {
  eventFactoryAbi,
  eventMarketAbi,
  marketAbi,
  marketFactoryAbi,
  marketOracleAbi,
  optimisticOracleAbi,
  ownerTimelockAbi,
  presageSettlementAbi,
  priceOracleAbi,
  quickMarketAbi,
  quickMarketFactoryAbi,
} from '@presage/contracts';
import {
  conditionalTokensWithPermitBytecode,
  eventFactoryBytecode,
  eventMarketBytecode,
  journalAnchorsBytecode,
  marketBytecode,
  marketFactoryBytecode,
  marketOracleBytecode,
  optimisticOracleBytecode,
  outcomeMarketBytecode,
  ownerTimelockBytecode,
  presageSettlementBytecode,
  priceOracleBytecode,
  quickMarketBytecode,
  quickMarketFactoryBytecode,
  testStablecoinBytecode,
} from '@presage/contracts/bytecode';
import type { Hex } from '@presage/protocol';
import { type Abi, type EncodeDeployDataParameters, encodeDeployData, keccak256, stringToHex } from 'viem';
import { type Create2Plan, planCreate2 } from './create2.ts';
import { multicall3Bytecode } from './multicall3-bytecode.ts';

export const OPERATOR_ROLE = keccak256(stringToHex('OPERATOR_ROLE'));
export const PAUSER_ROLE = keccak256(stringToHex('PAUSER_ROLE'));
export const CREATOR_ROLE = keccak256(stringToHex('CREATOR_ROLE'));
export const REGISTRAR_ROLE = keccak256(stringToHex('REGISTRAR_ROLE'));

/** The address of an existing contract, or what to deploy in its place. */
export type OracleChoice =
  | Hex
  | { readonly arbitrator: Hex; readonly secondArbitrator: Hex; readonly minimumBond: bigint };
type PriceOracleChoice = Hex | { readonly feedSigner: Hex } | undefined;

export interface ContractPlanOptions {
  /** Deploys the contracts and owns them first: roles are granted before the ownership is handed over. */
  readonly deployer: Hex;
  readonly stablecoin: Hex | 'test';
  readonly oracle: OracleChoice;
  /** Without one there are no quick markets. */
  readonly priceOracle: PriceOracleChoice;
  readonly multicall: Hex | 'deploy';
  readonly settlementGraceSeconds: number;
  /** Bond in the stablecoin's units of 10^-6. */
  readonly bondAmount: bigint;
  /** Whether proposers must pay their own bond. */
  readonly bondPermitRequired: boolean;
  /** After this long without a result, anyone may void a market. */
  readonly voidDelaySeconds: number;
  /** Delays the owner's rights; absent if the owner holds them directly. */
  readonly timelock?: { readonly owner: Hex; readonly delaySeconds: number };
  /** Changes all addresses. Market ids are derived from them, and no two chains of one service may share an id. */
  readonly salt: bigint;
}

/** A price known only to within one percent decides no quick market. */
const MAX_CONFIDENCE_BPS = 100n;
/** Time that a quick market waits for a price before anyone may void it without proof: Pyth serves its prices for years. */
const UNPROVED_VOID_DELAY_SECONDS = { pyth: 604_800n, ours: 86_400n };

interface PlannedContract extends Create2Plan {
  /** Name of the contract in the sources and the generated ABI. */
  readonly contract: string;
  /** Encoded constructor arguments, which explorers ask for. */
  readonly constructorArguments: Hex;
}

export type ContractName =
  | 'stablecoin'
  | 'conditionalTokens'
  | 'settlement'
  | 'oracle'
  | 'marketOracle'
  | 'marketImplementation'
  | 'marketFactory'
  | 'outcomeMarketImplementation'
  | 'eventMarketImplementation'
  | 'eventFactory'
  | 'priceOracle'
  | 'quickMarketImplementation'
  | 'quickMarketFactory'
  | 'multicall'
  | 'anchors'
  | 'timelock';

type OptionalName = 'priceOracle' | 'quickMarketImplementation' | 'quickMarketFactory' | 'timelock';
type RequiredName = Exclude<ContractName, OptionalName>;

export interface ContractPlan {
  readonly addresses: Readonly<Record<RequiredName, Hex> & Partial<Record<ContractName, Hex>>>;
  /** The contracts to deploy, in the order in which they are sent. */
  readonly deployed: Readonly<Partial<Record<ContractName, PlannedContract>>>;
}

export interface RoleGrant {
  readonly contract: Hex;
  readonly role: Hex;
  readonly account: Hex;
  /** Description for people. */
  readonly what: string;
}

export interface RoleHolders {
  readonly settler: Hex;
  readonly pauser?: Hex;
  /** Accounts that may create markets. */
  readonly creators: readonly Hex[];
}

/** Collects the contracts to deploy; an address is known as soon as its arguments are. */
class PlanBuilder {
  readonly deployed: Partial<Record<ContractName, PlannedContract>> = {};
  readonly #salt: bigint;

  constructor(salt: bigint) {
    this.#salt = salt;
  }

  add<const A extends Abi>(name: ContractName, contract: string, creation: EncodeDeployDataParameters<A>): Hex;
  add(name: ContractName, contract: string, creation: EncodeDeployDataParameters<Abi>): Hex {
    const creationCode = encodeDeployData(creation);
    const constructorArguments: Hex = `0x${creationCode.slice(creation.bytecode.length)}`;
    const planned = { ...planCreate2(creationCode, this.#salt), contract, constructorArguments };
    this.deployed[name] = planned;
    return planned.address;
  }

  /** Adds a contract whose constructor has no arguments. */
  addPlain(name: ContractName, contract: string, bytecode: Hex): Hex {
    return this.add(name, contract, { abi: [], bytecode });
  }
}

export function planContracts(options: ContractPlanOptions): ContractPlan {
  const { deployer, bondAmount } = options;
  const builder = new PlanBuilder(options.salt);
  const stablecoin =
    options.stablecoin === 'test'
      ? builder.addPlain('stablecoin', 'TestStablecoin', testStablecoinBytecode)
      : options.stablecoin;
  const conditionalTokens = builder.addPlain(
    'conditionalTokens',
    'ConditionalTokensWithPermit',
    conditionalTokensWithPermitBytecode,
  );
  const settlement = builder.add('settlement', 'PresageSettlement', {
    abi: presageSettlementAbi,
    bytecode: presageSettlementBytecode,
    args: [deployer, stablecoin, conditionalTokens, BigInt(options.settlementGraceSeconds)],
  });
  const oracle = planOracle(builder, options.oracle, stablecoin);
  const marketOracle = builder.add('marketOracle', 'MarketOracle', {
    abi: marketOracleAbi,
    bytecode: marketOracleBytecode,
    args: [deployer, stablecoin, oracle],
  });
  const { bondPermitRequired, voidDelaySeconds } = options;
  const marketImplementation = builder.add('marketImplementation', 'Market', {
    abi: marketAbi,
    bytecode: marketBytecode,
    args: [conditionalTokens, stablecoin, settlement, marketOracle, bondPermitRequired, BigInt(voidDelaySeconds)],
  });
  const marketFactory = builder.add('marketFactory', 'MarketFactory', {
    abi: marketFactoryAbi,
    bytecode: marketFactoryBytecode,
    args: [deployer, marketImplementation, settlement, bondAmount],
  });
  const place = { stablecoin, conditionalTokens, settlement };
  const events = planEvents(builder, options, { ...place, marketOracle });
  const quick = planQuickMarkets(builder, options, place);
  const multicall =
    options.multicall === 'deploy'
      ? builder.addPlain('multicall', 'Multicall3', multicall3Bytecode)
      : options.multicall;
  const anchors = builder.addPlain('anchors', 'JournalAnchors', journalAnchorsBytecode);
  const markets = { oracle, marketOracle, marketImplementation, marketFactory };
  const addresses = {
    ...place,
    ...markets,
    ...events,
    ...quick,
    multicall,
    anchors,
    ...planTimelock(builder, options),
  };
  return { addresses, deployed: builder.deployed };
}

function planTimelock(builder: PlanBuilder, { timelock }: ContractPlanOptions): { timelock?: Hex } {
  if (timelock === undefined) return {};
  const args = [timelock.owner, BigInt(timelock.delaySeconds)] as const;
  const creation = { abi: ownerTimelockAbi, bytecode: ownerTimelockBytecode, args } as const;
  return { timelock: builder.add('timelock', 'OwnerTimelock', creation) };
}

/** The contracts named in the chains file; the service asks these for the others. */
export function toServedContracts({ addresses }: ContractPlan) {
  const {
    marketImplementation: _,
    quickMarketImplementation: __,
    marketOracle: ___,
    timelock: ____,
    outcomeMarketImplementation: _____,
    eventMarketImplementation: ______,
    ...served
  } = addresses;
  return served;
}

function planOracle(builder: PlanBuilder, choice: OracleChoice, stablecoin: Hex): Hex {
  if (typeof choice === 'string') return choice;
  return builder.add('oracle', 'OptimisticOracle', {
    abi: optimisticOracleAbi,
    bytecode: optimisticOracleBytecode,
    args: [choice.arbitrator, choice.secondArbitrator, stablecoin, choice.minimumBond],
  });
}

/** Events are resolved by the rules of single markets, so their contracts get the same arguments. */
function planEvents(
  builder: PlanBuilder,
  { deployer, bondAmount, bondPermitRequired, voidDelaySeconds }: ContractPlanOptions,
  place: Record<'stablecoin' | 'conditionalTokens' | 'settlement' | 'marketOracle', Hex>,
): Record<'outcomeMarketImplementation' | 'eventMarketImplementation' | 'eventFactory', Hex> {
  const { stablecoin, conditionalTokens, settlement, marketOracle } = place;
  const outcomeMarketImplementation = builder.addPlain(
    'outcomeMarketImplementation',
    'OutcomeMarket',
    outcomeMarketBytecode,
  );
  const resolution = [settlement, marketOracle, bondPermitRequired, BigInt(voidDelaySeconds)] as const;
  const eventMarketImplementation = builder.add('eventMarketImplementation', 'EventMarket', {
    abi: eventMarketAbi,
    bytecode: eventMarketBytecode,
    args: [conditionalTokens, stablecoin, ...resolution, outcomeMarketImplementation],
  });
  const eventFactory = builder.add('eventFactory', 'EventFactory', {
    abi: eventFactoryAbi,
    bytecode: eventFactoryBytecode,
    args: [deployer, eventMarketImplementation, settlement, bondAmount],
  });
  return { outcomeMarketImplementation, eventMarketImplementation, eventFactory };
}

function planQuickMarkets(
  builder: PlanBuilder,
  { deployer, priceOracle: choice }: ContractPlanOptions,
  { stablecoin, conditionalTokens, settlement }: Record<'stablecoin' | 'conditionalTokens' | 'settlement', Hex>,
): Partial<Record<ContractName, Hex>> {
  if (choice === undefined) return {};
  const priceOracle = planPriceOracle(builder, choice);
  const voidDelay = UNPROVED_VOID_DELAY_SECONDS[typeof choice === 'string' ? 'pyth' : 'ours'];
  const quickMarketImplementation = builder.add('quickMarketImplementation', 'QuickMarket', {
    abi: quickMarketAbi,
    bytecode: quickMarketBytecode,
    args: [priceOracle, conditionalTokens, stablecoin, settlement, MAX_CONFIDENCE_BPS, voidDelay],
  });
  const quickMarketFactory = builder.add('quickMarketFactory', 'QuickMarketFactory', {
    abi: quickMarketFactoryAbi,
    bytecode: quickMarketFactoryBytecode,
    args: [deployer, quickMarketImplementation, settlement],
  });
  return { priceOracle, quickMarketImplementation, quickMarketFactory };
}

function planPriceOracle(builder: PlanBuilder, choice: Exclude<PriceOracleChoice, undefined>): Hex {
  if (typeof choice === 'string') return choice;
  const args = [choice.feedSigner] as const;
  return builder.add('priceOracle', 'PriceOracle', { abi: priceOracleAbi, bytecode: priceOracleBytecode, args });
}

/** The settler settles and creates quick markets; creators create other markets and events; each factory registers its own. */
export function planRoles({ addresses }: ContractPlan, { settler, pauser, creators }: RoleHolders): RoleGrant[] {
  const { settlement, marketFactory, eventFactory, quickMarketFactory } = addresses;
  const registrar = { contract: settlement, role: REGISTRAR_ROLE, what: 'registrar of markets' };
  const grants = [
    { contract: settlement, role: OPERATOR_ROLE, account: settler, what: 'operator of the settlement' },
    { ...registrar, account: marketFactory },
    { ...registrar, account: eventFactory },
  ];
  if (quickMarketFactory !== undefined) {
    grants.push({ ...registrar, account: quickMarketFactory });
    const what = 'creator of quick markets';
    grants.push({ contract: quickMarketFactory, role: CREATOR_ROLE, account: settler, what });
  }
  for (const account of creators) {
    grants.push({ contract: marketFactory, role: CREATOR_ROLE, account, what: 'creator of markets' });
    grants.push({ contract: eventFactory, role: CREATOR_ROLE, account, what: 'creator of events' });
  }
  if (pauser !== undefined) {
    grants.push({ contract: settlement, role: PAUSER_ROLE, account: pauser, what: 'pauser of the settlement' });
  }
  return grants;
}
