// Opens admission: the threads that recover signers, and the checks that an order passes before it becomes a command.
import type { Engine } from '@presage/engine';
import type { Address } from '@presage/protocol';
import type { ChainIdentity } from '../chains/chain-identity.ts';
import type { ChainConfig } from '../config.ts';
import { Admission, type AdmissionOptions } from './admission.ts';
import { createKnownOrders, createMarketLookup, type PricedMarkets } from './engine-lookups.ts';
import type { AdmissionChain, FundsCheck, PermitCheck, WalletSigners } from './ports.ts';
import { SignaturePool } from './signature-pool.ts';

export interface OpenSignersOptions {
  readonly log: { warn(details: object, message: string): void };
}

/** Threads take a second to load: they are opened before everything else. */
export function openSigners({ log }: OpenSignersOptions): Promise<SignaturePool> {
  return SignaturePool.open({
    onWorkerLost: (cause) => log.warn({ error: cause.message }, 'a signature thread was lost and replaced'),
  });
}

export interface OpenAdmissionOptions extends Pick<AdmissionOptions, 'signers' | 'commands' | 'clock'> {
  readonly chains: readonly [ServedChain];
  readonly reads: Engine;
}

interface ServedChain {
  readonly config: ChainConfig;
  readonly identity: ChainIdentity;
  readonly relayer: { readonly permits: PermitCheck };
  readonly wallets: { readonly collateral: FundsCheck; readonly signatures: WalletSigners };
  /** Absent where there are no quick markets. */
  readonly quick: PricedMarkets | undefined;
}

export function openAdmission({ chains, reads, ...options }: OpenAdmissionOptions): Promise<Admission> {
  // One chain is served: its wallets and its relayer judge every order.
  const [chain] = chains;
  return Admission.open({
    ...options,
    chains: chains.map(toAdmissionChain),
    markets: createMarketLookup(reads, chain.quick),
    known: createKnownOrders(reads),
    permits: chain.relayer.permits,
    funds: chain.wallets.collateral,
    wallets: chain.wallets.signatures,
  });
}

function toAdmissionChain({ config, identity }: ServedChain): AdmissionChain {
  const { chainId, contracts, minOrderSize } = config;
  const lower = (address: string) => address.toLowerCase() as Address;
  const others = [contracts.conditionalTokens, contracts.stablecoin, contracts.marketFactory, contracts.multicall];
  const verifyingContract = lower(contracts.settlement);
  const domain = { ...identity.settlement, chainId, verifyingContract };
  return { domain, minOrderSize, contracts: others.map(lower) };
}
