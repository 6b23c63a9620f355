// Opens admission: the threads that recover signers, and the checks that an order passes before it becomes a command.

import { toLowerHex } from '@presage/protocol';
import { SignaturePool } from '@presage/signers';
import type { ServedChain } from '../chains/chain-actor.ts';
import type { Log } from '../log/log.ts';
import { Admission, type AdmissionOptions } from './admission.ts';
import type { AdmissionChain, SignerLookup } from './ports.ts';

export interface OpenSignersOptions {
  readonly log: Log;
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
  readonly chains: { onOpened(listener: (chain: ServedChain) => unknown): Promise<void> };
}

export async function openAdmission({ chains, ...options }: OpenAdmissionOptions): Promise<Admission> {
  const admission = new Admission(options);
  await chains.onOpened((chain) => admission.addChain(toAdmissionChain(chain)));
  return admission;
}

function toAdmissionChain({ config, identity, permits, wallets, halts, quick }: ServedChain): AdmissionChain {
  const { chainId, contracts, minOrderSize } = config;
  const others = [contracts.conditionalTokens, contracts.stablecoin, contracts.marketFactory, contracts.multicall];
  const verifyingContract = toLowerHex(contracts.settlement);
  const domain = { ...identity.settlement, chainId, verifyingContract };
  const judges = { permits, funds: wallets.collateral, wallets: wallets.signatures, halts, quick };
  return { domain, minOrderSize, contracts: others.map(toLowerHex), ...judges };
}
