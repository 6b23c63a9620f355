// Which contracts a chain needs, with which arguments, and so at which addresses: known before anything is sent.
import {
  marketAbi,
  marketFactoryAbi,
  optimisticOracleAbi,
  presageSettlementAbi,
  priceOracleAbi,
  quickMarketAbi,
  quickMarketFactoryAbi,
} from '@presage/contracts';
import {
  conditionalTokensWithPermitBytecode,
  journalAnchorsBytecode,
  marketBytecode,
  marketFactoryBytecode,
  optimisticOracleBytecode,
  presageSettlementBytecode,
  priceOracleBytecode,
  quickMarketBytecode,
  quickMarketFactoryBytecode,
  testStablecoinBytecode,
} from '@presage/contracts/bytecode';
import type { Hex } from '@presage/protocol';
import { encodeDeployData, keccak256, stringToHex } from 'viem';
import { type Create2Plan, planCreate2 } from './create2.ts';
import { multicall3Bytecode } from './multicall3-bytecode.ts';

export const OPERATOR_ROLE = keccak256(stringToHex('OPERATOR_ROLE'));
export const PAUSER_ROLE = keccak256(stringToHex('PAUSER_ROLE'));
export const CREATOR_ROLE = keccak256(stringToHex('CREATOR_ROLE'));

/** An address that is there already, or what is to be deployed in its place. */
export type OracleChoice = Hex | { readonly arbitrator: Hex; readonly minimumBond: bigint };
type PriceOracleChoice = Hex | { readonly feedSigner: Hex } | undefined;

export interface ContractPlanOptions {
  /** Who deploys and owns them first: roles are granted before the ownership is handed over. */
  readonly deployer: Hex;
  readonly stablecoin: Hex | 'test';
  readonly oracle: OracleChoice;
  /** Without one there are no quick markets. */
  readonly priceOracle: PriceOracleChoice;
  readonly multicall: Hex | 'deploy';
  readonly settlementGraceSeconds: number;
  /** In the stablecoin's units of 10^-6. */
  readonly bondAmount: bigint;
  /** Whether a proposer must pay their bond themselves. */
  readonly bondPermitRequired: boolean;
  /** So long without a result, and anyone may void a market. */
  readonly voidDelaySeconds: number;
  /** Other addresses for another one. The ids of markets follow from them: two chains of one service must not share any. */
  readonly salt: bigint;
}

/** A price that the oracle knows to one percent only decides no quick market. */
const MAX_CONFIDENCE_BPS = 100n;

interface PlannedContract extends Create2Plan {
  /** Name of the contract in the sources and the generated ABI. */
  readonly contract: string;
  /** The encoded arguments of its constructor, which explorers ask for. */
  readonly constructorArguments: Hex;
}

export type ContractName =
  | 'stablecoin'
  | 'conditionalTokens'
  | 'settlement'
  | 'oracle'
  | 'marketImplementation'
  | 'marketFactory'
  | 'priceOracle'
  | 'quickMarketImplementation'
  | 'quickMarketFactory'
  | 'multicall'
  | 'anchors';

type RequiredName = Exclude<ContractName, 'priceOracle' | 'quickMarketImplementation' | 'quickMarketFactory'>;

export interface ContractPlan {
  readonly addresses: Readonly<Record<RequiredName, Hex> & Partial<Record<ContractName, Hex>>>;
  /** What is ours to deploy, in the order in which it is sent. */
  readonly deployed: Readonly<Partial<Record<ContractName, PlannedContract>>>;
}

export interface RoleGrant {
  readonly contract: Hex;
  readonly role: Hex;
  readonly account: Hex;
  /** For people. */
  readonly what: string;
}

export interface RoleHolders {
  readonly settler: Hex;
  readonly pauser?: Hex;
  /** Who may create markets. */
  readonly creators: readonly Hex[];
}

/** Gathers what is to be deployed; each address is known once its arguments are. */
class PlanBuilder {
  readonly deployed: Partial<Record<ContractName, PlannedContract>> = {};
  readonly #salt: bigint;

  constructor(salt: bigint) {
    this.#salt = salt;
  }

  add(name: ContractName, contract: string, bytecode: Hex, creationCode: Hex = bytecode): Hex {
    const constructorArguments: Hex = `0x${creationCode.slice(bytecode.length)}`;
    const planned = { ...planCreate2(creationCode, this.#salt), contract, constructorArguments };
    this.deployed[name] = planned;
    return planned.address;
  }
}

export function planContracts(options: ContractPlanOptions): ContractPlan {
  const { deployer, bondAmount } = options;
  const builder = new PlanBuilder(options.salt);
  const stablecoin =
    options.stablecoin === 'test'
      ? builder.add('stablecoin', 'TestStablecoin', testStablecoinBytecode)
      : options.stablecoin;
  const conditionalTokens = builder.add(
    'conditionalTokens',
    'ConditionalTokensWithPermit',
    conditionalTokensWithPermitBytecode,
  );
  const settlementArguments = [
    deployer,
    stablecoin,
    conditionalTokens,
    BigInt(options.settlementGraceSeconds),
  ] as const;
  const settlement = builder.add(
    'settlement',
    'PresageSettlement',
    presageSettlementBytecode,
    encodeDeployData({ abi: presageSettlementAbi, bytecode: presageSettlementBytecode, args: settlementArguments }),
  );
  const oracle = planOracle(builder, options.oracle, stablecoin);
  const place = { stablecoin, conditionalTokens, settlement };
  const marketImplementation = planMarket(builder, { ...options, ...place, oracle });
  const marketFactory = builder.add(
    'marketFactory',
    'MarketFactory',
    marketFactoryBytecode,
    encodeDeployData({
      abi: marketFactoryAbi,
      bytecode: marketFactoryBytecode,
      args: [deployer, marketImplementation, settlement, bondAmount],
    }),
  );
  const quick = planQuickMarkets(builder, { ...place, deployer, priceOracle: options.priceOracle });
  const multicall =
    options.multicall === 'deploy' ? builder.add('multicall', 'Multicall3', multicall3Bytecode) : options.multicall;
  const anchors = builder.add('anchors', 'JournalAnchors', journalAnchorsBytecode);
  const addresses = { ...place, oracle, marketImplementation, marketFactory, ...quick, multicall, anchors };
  return { addresses, deployed: builder.deployed };
}

function planOracle(builder: PlanBuilder, choice: OracleChoice, stablecoin: Hex): Hex {
  if (typeof choice === 'string') return choice;
  const args = [choice.arbitrator, stablecoin, choice.minimumBond] as const;
  const creation = encodeDeployData({ abi: optimisticOracleAbi, bytecode: optimisticOracleBytecode, args });
  return builder.add('oracle', 'OptimisticOracle', optimisticOracleBytecode, creation);
}

interface MarketPlace {
  readonly stablecoin: Hex;
  readonly conditionalTokens: Hex;
  readonly settlement: Hex;
}

type MarketTerms = Pick<ContractPlanOptions, 'bondPermitRequired' | 'voidDelaySeconds'> & { readonly oracle: Hex };

function planMarket(builder: PlanBuilder, terms: MarketPlace & MarketTerms): Hex {
  const { conditionalTokens, stablecoin, settlement, oracle, bondPermitRequired, voidDelaySeconds } = terms;
  const delay = BigInt(voidDelaySeconds);
  const args = [conditionalTokens, stablecoin, settlement, oracle, bondPermitRequired, delay] as const;
  const creation = encodeDeployData({ abi: marketAbi, bytecode: marketBytecode, args });
  return builder.add('marketImplementation', 'Market', marketBytecode, creation);
}

type QuickAddresses = Partial<Record<'priceOracle' | 'quickMarketImplementation' | 'quickMarketFactory', Hex>>;

function planQuickMarkets(
  builder: PlanBuilder,
  { deployer, priceOracle: choice, ...place }: MarketPlace & Pick<ContractPlanOptions, 'deployer' | 'priceOracle'>,
): QuickAddresses {
  if (choice === undefined) return {};
  const { stablecoin, conditionalTokens, settlement } = place;
  const priceOracle = planPriceOracle(builder, choice);
  const quickMarketImplementation = builder.add(
    'quickMarketImplementation',
    'QuickMarket',
    quickMarketBytecode,
    encodeDeployData({
      abi: quickMarketAbi,
      bytecode: quickMarketBytecode,
      args: [priceOracle, conditionalTokens, stablecoin, settlement, MAX_CONFIDENCE_BPS],
    }),
  );
  const quickMarketFactory = builder.add(
    'quickMarketFactory',
    'QuickMarketFactory',
    quickMarketFactoryBytecode,
    encodeDeployData({
      abi: quickMarketFactoryAbi,
      bytecode: quickMarketFactoryBytecode,
      args: [deployer, quickMarketImplementation, settlement],
    }),
  );
  return { priceOracle, quickMarketImplementation, quickMarketFactory };
}

function planPriceOracle(builder: PlanBuilder, choice: Exclude<PriceOracleChoice, undefined>): Hex {
  if (typeof choice === 'string') return choice;
  const args = [choice.feedSigner] as const;
  const creation = encodeDeployData({ abi: priceOracleAbi, bytecode: priceOracleBytecode, args });
  return builder.add('priceOracle', 'PriceOracle', priceOracleBytecode, creation);
}

/** The settler settles and makes quick markets; other markets are made by the creators. */
export function planRoles({ addresses }: ContractPlan, { settler, pauser, creators }: RoleHolders): RoleGrant[] {
  const { settlement, marketFactory, quickMarketFactory } = addresses;
  const grants = [{ contract: settlement, role: OPERATOR_ROLE, account: settler, what: 'operator of the settlement' }];
  if (quickMarketFactory !== undefined) {
    grants.push({
      contract: quickMarketFactory,
      role: CREATOR_ROLE,
      account: settler,
      what: 'creator of quick markets',
    });
  }
  for (const account of creators) {
    grants.push({ contract: marketFactory, role: CREATOR_ROLE, account, what: 'creator of markets' });
  }
  if (pauser !== undefined) {
    grants.push({ contract: settlement, role: PAUSER_ROLE, account: pauser, what: 'pauser of the settlement' });
  }
  return grants;
}
