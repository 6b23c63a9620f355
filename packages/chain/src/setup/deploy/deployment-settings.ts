// The operator's settings for a deployment: one strict schema, completed from what is known of the network.
import type { Hex } from '@presage/protocol';
import Type, { type Static } from 'typebox';
import { Check } from 'typebox/value';
import {
  address,
  CHAIN_DEFAULTS,
  type ChainSettings,
  MAX_GRACE_SECONDS,
  strict,
  webAddress,
} from '../chain-settings.ts';
import { findFieldFaults } from '../field-faults.ts';
import { type ContractPlan, type ContractPlanOptions, type OracleChoice, toServedContracts } from './contract-plan.ts';
import { findNetwork } from './networks.ts';

const MOST = Number.MAX_SAFE_INTEGER;
const whole = (minimum: number, maximum: number, description: string) => {
  const range = maximum === MOST ? `of at least ${minimum}` : `from ${minimum} to ${maximum}`;
  return Type.Integer({ minimum, maximum, description: `a whole number ${range}; ${description}` });
};

const key = (whose: string) =>
  Type.String({
    pattern: '^(env|file|signer):.+',
    description: `env:NAME, file:/path or signer:URL#0xADDRESS; source of the ${whose} key, copied into the chains file`,
  });

export const DeploymentSettingsSchema = Type.Object(
  {
    chainId: whole(1, MOST, 'the node must answer the same'),
    name: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, description: 'a name; name of the chain that traders see' }),
    ),
    rpcUrls: Type.Optional(
      Type.Array(webAddress('the http(s) URL of a node'), {
        minItems: 1,
        maxItems: 8,
        description: 'a list of 1 to 8 http(s) URLs; nodes of the service, by default the one of --rpc',
      }),
    ),
    explorerUrl: Type.Optional(webAddress('the http(s) URL of a block explorer')),
    stablecoin: Type.Optional(address("an address; by default the network's USDC")),
    umaOracle: Type.Optional(address("an address; UMA's OptimisticOracleV3, by default the network's")),
    arbitrator: Type.Optional(address("an address; decides disputes if our oracle is deployed instead of UMA's")),
    secondArbitrator: Type.Optional(
      address('an address; decides disputes that the arbitrator has left open for three days, by default the owner'),
    ),
    minimumBond: Type.Optional(
      whole(1, MOST, 'minimum bond that our oracle accepts, in millionths, by default 1000000'),
    ),
    pyth: Type.Optional(
      Type.Union([address('an address'), Type.Literal('none')], {
        description: 'an address or "none"; "none" for no quick markets, by default the network\'s Pyth',
      }),
    ),
    owner: address('an address; final owner of the contracts: a hardware or multi-signature wallet'),
    pauser: address('an address; may stop settlement, and nothing else'),
    creator: address('an address; may create markets'),
    treasury: Type.Optional(
      address('an address; receives the fees of takers: without one, no market has fees until the owner names one'),
    ),
    settler: address('an address; account of the key that settles trades'),
    relayer: address('an address; account of the key that sends transactions for wallets without gas'),
    settlerKey: key("settler's"),
    relayerKey: key("relayer's"),
    creatorKey: Type.Optional(key("market creator's")),
    settlementGraceSeconds: Type.Optional(
      whole(0, MAX_GRACE_SECONDS, 'seconds for which an order may still settle after it expired, by default 300'),
    ),
    bond: Type.Optional(whole(1, MOST, 'bond of a proposed result, in millionths, by default 500000000')),
    bondPermitRequired: Type.Optional(
      Type.Boolean({
        description: 'true or false; by default true: proposers pay their own bond, the operator sponsors none',
      }),
    ),
    voidDelaySeconds: Type.Optional(
      whole(
        86_400,
        31_536_000,
        'seconds without a result after which anyone may void a market, by default 2592000 (30 days)',
      ),
    ),
    timelockSeconds: Type.Optional(
      whole(
        0,
        2_592_000,
        'seconds between the announcement of an action of the owner and its effect, by default 172800 (two days), 0 for no timelock',
      ),
    ),
    confirmations: Type.Optional(
      whole(1, 1_000, "blocks after which a transaction counts as confirmed, by default the network's"),
    ),
    transactionGasCap: Type.Optional(
      whole(2_000_000, MOST, 'maximum gas of a transaction, by default what the network allows'),
    ),
    minTipGwei: Type.Optional(
      Type.Number({ minimum: 0, description: "a number of gwei; minimum tip, by default the network's" }),
    ),
    maxFeeGwei: Type.Optional(
      Type.Number({
        minimum: 0,
        description: "a number of gwei; maximum price per gas of a transaction, by default the network's",
      }),
    ),
    sponsoredBondsPerDay: Type.Optional(
      whole(0, MOST, 'millionths per day that the operator pays in bonds for proposers, by default none'),
    ),
    salt: Type.Optional(whole(0, 1_000_000, 'another number gives other contracts on the same chain, by default 0')),
    fromBlock: Type.Optional(whole(0, MOST, 'block of the deployment, needed only if the node cannot tell it')),
  },
  strict,
);

type DeploymentSettings = Static<typeof DeploymentSettingsSchema>;

/** Complete terms of a deployment, with the known facts of the network filled in. */
export interface DeploymentTerms extends Omit<ContractPlanOptions, 'deployer' | 'multicall'> {
  readonly settings: DeploymentSettings;
  /** Holder of each role. */
  readonly holders: Readonly<Record<(typeof ROLES)[number], Hex>>;
  readonly name: string;
  readonly explorerUrl?: string;
  readonly fees: { readonly confirmations: number; readonly minTipGwei: number; readonly maxFeeGwei: number };
}

const ROLES = ['owner', 'pauser', 'creator', 'settler', 'relayer'] as const;
const DEFAULT_BOND = 500_000_000;
const DEFAULT_MINIMUM_BOND = 1_000_000;
const DEFAULT_VOID_DELAY_SECONDS = 2_592_000;
const DEFAULT_TIMELOCK_SECONDS = 172_800;

export function readDeploymentSettings(text: string): { readonly terms?: DeploymentTerms; readonly faults: string[] } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { faults: ['is not JSON'] };
  }
  if (!Check(DeploymentSettingsSchema, value)) return { faults: findFieldFaults(DeploymentSettingsSchema, value) };
  const missing = [...findSharedRoles(value), ...findOpenChoices(value)];
  return missing.length > 0 ? { faults: missing } : { terms: toTerms(value), faults: [] };
}

/** A key with two roles could do what neither role may. */
function findSharedRoles(settings: DeploymentSettings): string[] {
  return ROLES.flatMap((role, index) => {
    const twin = ROLES.slice(0, index).find((other) => settings[other].toLowerCase() === settings[role].toLowerCase());
    return twin === undefined ? [] : [`${role}: is the address of ${twin}; give each its own key`];
  });
}

function findOpenChoices({ chainId, stablecoin, umaOracle, arbitrator, pyth }: DeploymentSettings): string[] {
  const network = findNetwork(chainId);
  const faults: string[] = [];
  if ((stablecoin ?? network?.stablecoin) === undefined) {
    faults.push(
      `stablecoin: is missing; nothing is known of chain ${chainId}, so name a token of 6 decimals with permits`,
    );
  }
  if (umaOracle !== undefined && arbitrator !== undefined) {
    faults.push("arbitrator: leave it out where umaOracle is given; UMA's voters decide there");
  }
  if ((umaOracle ?? arbitrator ?? network?.umaOracle) === undefined) {
    faults.push(
      `umaOracle: is missing; nothing is known of UMA on chain ${chainId}, so name it, or name an arbitrator`,
    );
  }
  if ((pyth ?? network?.pyth) === undefined) {
    faults.push(`pyth: is missing; nothing is known of Pyth on chain ${chainId}, so name it, or write "none"`);
  }
  return faults;
}

function toTerms(settings: DeploymentSettings): DeploymentTerms {
  const network = findNetwork(settings.chainId);
  const pyth = settings.pyth ?? network?.pyth;
  const { confirmations, minTipGwei, maxFeeGwei } = { ...CHAIN_DEFAULTS, ...network, ...settings };
  const explorerUrl = settings.explorerUrl ?? network?.explorerUrl;
  const { owner, timelockSeconds: delaySeconds = DEFAULT_TIMELOCK_SECONDS } = settings;
  return {
    settings,
    ...(delaySeconds > 0 && { timelock: { owner, delaySeconds } }),
    holders: toHolders(settings),
    name: settings.name ?? network?.name ?? `chain ${settings.chainId}`,
    ...(explorerUrl !== undefined && { explorerUrl }),
    stablecoin: given(settings.stablecoin ?? network?.stablecoin),
    oracle: toOracle(settings),
    priceOracle: pyth === 'none' ? undefined : pyth,
    settlementGraceSeconds: settings.settlementGraceSeconds ?? CHAIN_DEFAULTS.settlementGraceSeconds,
    bondAmount: BigInt(settings.bond ?? DEFAULT_BOND),
    bondPermitRequired: settings.bondPermitRequired ?? true,
    voidDelaySeconds: settings.voidDelaySeconds ?? DEFAULT_VOID_DELAY_SECONDS,
    // Differs by chain: contracts at the same address on two chains would give their markets the same ids.
    salt: (BigInt(settings.chainId) << 32n) | BigInt(settings.salt ?? 0),
    fees: { confirmations, minTipGwei, maxFeeGwei },
  };
}

function toHolders({ owner, pauser, creator, settler, relayer }: DeploymentSettings): DeploymentTerms['holders'] {
  return { owner, pauser, creator, settler, relayer };
}

/** An address that `findOpenChoices` has checked to be present. */
function given(address: Hex | undefined): Hex {
  if (address === undefined) throw new Error('an address is missing that was checked');
  return address;
}

function toOracle(settings: DeploymentSettings): OracleChoice {
  const { chainId, umaOracle, arbitrator, secondArbitrator = settings.owner, minimumBond } = settings;
  if (umaOracle !== undefined) return umaOracle;
  if (arbitrator === undefined) return given(findNetwork(chainId)?.umaOracle);
  return { arbitrator, secondArbitrator, minimumBond: BigInt(minimumBond ?? DEFAULT_MINIMUM_BOND) };
}

export interface ChainsEntryOptions {
  readonly terms: DeploymentTerms;
  readonly plan: ContractPlan;
  /** The node used for the deployment. */
  readonly rpcUrl: string;
  readonly fromBlock: number;
}

export function toChainsEntry({ terms, plan, rpcUrl, fromBlock }: ChainsEntryOptions): ChainSettings {
  const { settings, fees, explorerUrl } = terms;
  const { rpcUrls = [rpcUrl], transactionGasCap, sponsoredBondsPerDay, arbitrator, creatorKey } = settings;
  return {
    chainId: settings.chainId,
    name: terms.name,
    rpcUrls,
    ...(explorerUrl !== undefined && { explorerUrl }),
    ...fees,
    collateralCheck: 'enforce',
    ...(transactionGasCap !== undefined && { transactionGasCap }),
    settlementGraceSeconds: terms.settlementGraceSeconds,
    ...(sponsoredBondsPerDay !== undefined && { sponsoredBondsPerDay }),
    contracts: toServedContracts(plan),
    fromBlock,
    settlerKey: settings.settlerKey,
    relayerKey: settings.relayerKey,
    ...(creatorKey !== undefined && { creatorKey }),
    ownerAddress: plan.addresses.timelock ?? settings.owner,
    pauserAddress: settings.pauser,
    creatorAddress: settings.creator,
    ...(settings.treasury !== undefined && { treasury: settings.treasury }),
    ...(arbitrator !== undefined && { arbitratorAddress: arbitrator }),
  };
}
