// Opens admission: the threads that recover signers, and the checks that an order passes before it becomes a command.
import type { Address, ChainIdentity } from '@presage/protocol';
import { SignaturePool } from '@presage/signers';
import type { ChainConfig } from '../config.ts';
import { Admission, type AdmissionOptions } from './admission.ts';
import type {
  AdmissionChain,
  FundsCheck,
  HaltLookup,
  PermitCheck,
  PricedMarkets,
  SignerLookup,
  WalletSigners,
} from './ports.ts';

export interface OpenSignersOptions {
  readonly log: { warn(details: object, message: string): void };
}

export interface OpenSigners extends SignerLookup {
  readonly opened: Promise<SignaturePool>;
}

/** Threads take a second to load, so they are opened before everything else; earlier requests wait for them. */
export function openSigners({ log }: OpenSignersOptions): OpenSigners {
  const opened = SignaturePool.open({
    onWorkerLost: (cause) => log.warn({ error: cause.message }, 'signature thread lost and replaced'),
  });
  return { opened, recover: async (digest, signature) => (await opened).recover(digest, signature) };
}

export interface OpenAdmissionOptions extends AdmissionOptions {
  readonly chains: ServedChains;
}

interface ServedChains {
  onOpened(listener: (chain: ServedChain) => unknown): Promise<void>;
}

interface ServedChain {
  readonly config: ChainConfig;
  readonly identity: ChainIdentity;
  readonly relayer: { readonly permits: PermitCheck };
  readonly wallets: { readonly collateral: FundsCheck; readonly signatures: WalletSigners };
  readonly halts: HaltLookup;
  /** Undefined on a chain without quick markets. */
  readonly quick: PricedMarkets | undefined;
}

export async function openAdmission({ chains, ...options }: OpenAdmissionOptions): Promise<Admission> {
  const admission = new Admission(options);
  await chains.onOpened((chain) => admission.addChain(toAdmissionChain(chain)));
  return admission;
}

function toAdmissionChain({ config, identity, relayer, wallets, halts, quick }: ServedChain): AdmissionChain {
  const { chainId, contracts, minOrderSize } = config;
  const lower = (address: string) => address.toLowerCase() as Address; // still an address, as `config` has checked
  const others = [contracts.conditionalTokens, contracts.stablecoin, contracts.marketFactory, contracts.multicall];
  const verifyingContract = lower(contracts.settlement);
  const domain = { ...identity.settlement, chainId, verifyingContract };
  const judges = { permits: relayer.permits, funds: wallets.collateral, wallets: wallets.signatures, halts, quick };
  return { domain, minOrderSize, contracts: others.map(lower), ...judges };
}
