// Settings of one chain in the chains file: one strict schema that checks, documents and types them.
import type { Hex } from '@presage/protocol';
import Type, { type Static } from 'typebox';

export const address = (description: string) =>
  Type.Unsafe<Hex>(Type.String({ pattern: '^0x[0-9a-fA-F]{40}$', description }));
export const webAddress = (description: string) => Type.String({ pattern: '^https?://[^\\s]+$', description });
export const strict = { additionalProperties: false };
/** Nodes' pools keep at least 64 pending transactions per account, and quick markets send from the same one. */
const MAX_BATCHES_IN_FLIGHT = 48;
/** Minimum: a batch of one fill takes less than half of it. */
const LEAST_GAS_CAP = 2_000_000;
/** Longest grace period that the settlement contract accepts. */
export const MAX_GRACE_SECONDS = 3_600;

/** In descriptions, the text up to a semicolon is the expectation; the rest explains. */
export const ChainAddresses = Type.Object(
  {
    settlement: address('the address of PresageSettlement'),
    conditionalTokens: address('the address of ConditionalTokensWithPermit'),
    stablecoin: address('the address of the stablecoin; 6 decimals, EIP-2612 permits'),
    marketFactory: address('the address of MarketFactory; must differ on every chain of a service'),
    oracle: address("the address of the optimistic oracle; UMA's OptimisticOracleV3, or ours"),
    multicall: address('the address of Multicall3'),
    priceOracle: Type.Optional(address('the address of Pyth; leave it out without quick markets')),
    quickMarketFactory: Type.Optional(address('the address of QuickMarketFactory; leave it out without quick markets')),
    eventFactory: Type.Optional(
      address('the address of EventFactory; leave it out without events, as with contracts before version 6'),
    ),
    anchors: Type.Optional(address('the address of JournalAnchors; leave it out if the journal is not anchored')),
  },
  strict,
);

const key = (whose: string) =>
  Type.String({
    minLength: 1,
    description: `the source of the ${whose} key: env:NAME, file:/path or signer:URL#0xADDRESS; a key itself only in the sandbox`,
  });

export const ChainSettingsSchema = Type.Object(
  {
    chainId: Type.Integer({ minimum: 1, description: 'the chain id, a whole number; nodes must report the same' }),
    name: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, description: 'a name of 1 to 64 characters, as traders see it' }),
    ),
    rpcUrls: Type.Array(webAddress('the http(s) URL of a node'), {
      minItems: 1,
      maxItems: 8,
      description: 'a list of 1 to 8 http(s) URLs of nodes; the first that answers and agrees with the others is used',
    }),
    explorerUrl: Type.Optional(webAddress('the http(s) URL of a block explorer; traders look up transactions there')),
    confirmations: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000,
        description: 'a whole number from 1 to 1000; blocks after which a transaction counts as confirmed',
      }),
    ),
    collateralCheck: Type.Optional(
      Type.Union([Type.Literal('enforce'), Type.Literal('off')], {
        description: '"enforce" or "off"; "enforce", the default, requires cover for orders; live requires it',
      }),
    ),
    minOrderSize: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: 'a whole number of at least 1; minimum size of an order in millionths of a share',
      }),
    ),
    batchesInFlight: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_BATCHES_IN_FLIGHT,
        description: `a whole number from 1 to ${MAX_BATCHES_IN_FLIGHT}; settlement batches that may wait for a block`,
      }),
    ),
    transactionGasCap: Type.Optional(
      Type.Integer({
        minimum: LEAST_GAS_CAP,
        description: `a whole number of at least ${LEAST_GAS_CAP}; maximum gas of a transaction, by default the known limit of the chain or that of a block`,
      }),
    ),
    simulation: Type.Optional(
      Type.Union([Type.Literal('always'), Type.Literal('unproven')], {
        description:
          '"always" or "unproven"; "always" is the default; "unproven" sends a batch without a simulation if all its wallets have settled a fill in that market within a minute, for chains on which throughput is worth more than the gas of a failed fill',
      }),
    ),
    minTipGwei: Type.Optional(
      Type.Number({
        minimum: 0,
        description: 'a number of gwei; minimum tip, above which the tips of others are followed',
      }),
    ),
    maxFeeGwei: Type.Optional(
      Type.Number({ minimum: 0, description: 'a number of gwei; maximum price per gas of a transaction' }),
    ),
    settlementGraceSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MAX_GRACE_SECONDS,
        description: `a whole number from 0 to ${MAX_GRACE_SECONDS}; longest grace in seconds that the settlement contract may have`,
      }),
    ),
    sponsoredBondsPerDay: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description:
          'a whole number of at least 0; millionths per day that the operator pays in bonds for proposers, none in live',
      }),
    ),
    contracts: ChainAddresses,
    fromBlock: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'the block in which the contracts were deployed; reading begins there',
      }),
    ),
    settlerKey: key("settler's"),
    relayerKey: key("relayer's"),
    creatorKey: Type.Optional(key("market creator's")),
    ownerAddress: Type.Optional(
      address("the owner's address; required in live, which checks that it owns the contracts"),
    ),
    pauserAddress: Type.Optional(address("the pauser's address; required in live, which checks its role")),
    creatorAddress: Type.Optional(address("the market creator's address; required in live, which checks its role")),
    treasury: Type.Optional(
      address('the address that receives the fees of takers; if given, live checks that the contract pays it'),
    ),
    arbitratorAddress: Type.Optional(
      address("the arbitrator's address; required in live if the oracle is ours and not UMA's"),
    ),
    disputerAddress: Type.Optional(address('an address; sandbox only: account that disputes proposals')),
  },
  strict,
);

export type ChainSettings = Static<typeof ChainSettingsSchema>;

/** Defaults for settings that the chains file leaves out. */
export const CHAIN_DEFAULTS = {
  confirmations: 1,
  minOrderSize: 1_000_000,
  /** Enough to hide the latency between a block and its arrival here. */
  batchesInFlight: 8,
  settlementGraceSeconds: 300,
  minTipGwei: 1,
  maxFeeGwei: 10_000,
  fromBlock: 0,
} as const;
