// Opens admission: the threads that recover signers, and the checks that an order passes before it becomes a command.

import { SignaturePool } from '@presage/signers';
import type { ServedChain } from '../chains/chain-actor.ts';
import type { Log } from '../log/log.ts';
import { Admission, type AdmissionOptions } from './admission.ts';
import type { AdmissionChain } from './ports.ts';

/** Opened before everything else, because threads take a second to load. */
export function openSigners(log: Log) {
  const onWorkerLost = (cause: Error) => log.warn({ error: cause.message }, 'signature thread lost and replaced');
  return SignaturePool.openSoon({ onWorkerLost });
}

interface OpeningChains {
  onOpened(listener: (chain: ServedChain) => unknown): Promise<void>;
}

export async function openAdmission(chains: OpeningChains, options: AdmissionOptions): Promise<Admission> {
  const admission = new Admission(options);
  await chains.onOpened((chain) => admission.addChain(toAdmissionChain(chain)));
  return admission;
}

function toAdmissionChain({
  config,
  addresses,
  identity,
  permits,
  wallets,
  halts,
  quick,
}: ServedChain): AdmissionChain {
  const { chainId, minOrderSize } = config;
  const { settlement, conditionalTokens, stablecoin, marketFactory, multicall } = addresses;
  const contracts = [conditionalTokens, stablecoin, marketFactory, multicall];
  const domain = { ...identity.settlement, chainId, verifyingContract: settlement };
  const { collateral, signatures } = wallets;
  const funds = collateral.isEnforced ? collateral : undefined;
  const judges = { permits, funds, assessor: collateral, wallets: signatures, halts, quick };
  return { domain, minOrderSize, contracts, ...judges };
}
