// Opens admission: the threads that recover signers, and the checks between an order and a command.

import { SignaturePool } from '@presage/signers';
import type { ServedChain } from '../chains/chain-actor.ts';
import type { Config } from '../config.ts';
import type { Log } from '../log/log.ts';
import { Admission, type AdmissionOptions } from './admission.ts';
import { openHook } from './hook/ask-hook.ts';
import { OperatorGate } from './hook/operator-gate.ts';
import { OrderLimits, type OrderLimitsOptions } from './hook/order-limits.ts';
import { WalletVerdicts } from './hook/wallet-verdicts.ts';
import type { AdmissionChain, OrderGate } from './ports.ts';

/** Opens the signature threads before everything else, because they take a second to load. */
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

interface GateParts extends OrderLimitsOptions {
  readonly log: Log;
}

/** Opens the operator's gate; undefined if neither a hook nor a limit is set. */
export async function openGate(config: Config['admission'], parts: GateParts): Promise<OrderGate | undefined> {
  const { hook, walletLimits, marketLimits } = config;
  const hasLimits = Object.keys({ ...walletLimits, ...marketLimits }).length > 0;
  if (hook === undefined && !hasLimits) return undefined;
  const { log } = parts;
  const verdicts = hook && new WalletVerdicts({ ...hook, ask: await openHook(hook.url), log });
  const limits = { ...walletLimits, market: marketLimits };
  return new OperatorGate({ verdicts, orderLimits: new OrderLimits(parts), limits });
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
