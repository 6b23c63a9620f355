// Checks at every start that a live chain matches its settings, so that no money reaches a sandbox contract or a stranger's.

import { setTimeout as sleep } from 'node:timers/promises';
import { isRpcFailure, type Rpc } from '@presage/chain';
import { findChainFaults, type ServiceKeys } from '@presage/chain/setup';
import type { ChainConfig } from '../config.ts';
import type { Log } from '../log/log.ts';
import { ChainUnfit, type OnChainProblem, toProblem } from './chain-problem.ts';

export interface ChainCheckOptions {
  readonly settings: ChainConfig;
  readonly rpc: Rpc;
  readonly keys: ServiceKeys;
  readonly log: Log;
}

export interface FitOptions {
  readonly wasFit: boolean;
  /** Called when the chain cannot be opened; the check is retried. */
  readonly onProblem: OnChainProblem;
  /** Called when a chain that was opened unchecked turns out to be unfit. */
  readonly onUnfit: (error: unknown) => void;
  /** Aborted on shutdown; ends the retries. */
  readonly signal: AbortSignal;
}

const RETRY_MS = 5_000;

/**
 * Resolves when the chain is fit to be opened; retries without limit. A chain that was fit at an earlier start and is unreachable now is
 * opened unchecked: it is checked in the background when it answers, and `onUnfit` reports a failure.
 */
export async function requireFitChain(options: ChainCheckOptions, fit: FitOptions): Promise<void> {
  const { wasFit, onProblem, onUnfit, signal } = fit;
  for (;;) {
    try {
      return await assertFit(options);
    } catch (error) {
      if (wasFit && isRpcFailure(error)) break;
      onProblem(toProblem(options.settings, error));
    }
    await sleep(RETRY_MS, undefined, { signal });
  }
  void checkUntilAnswered(options, signal).catch((failure) => signal.aborted || onUnfit(failure));
}

async function checkUntilAnswered(options: ChainCheckOptions, signal: AbortSignal): Promise<void> {
  for (;;) {
    await sleep(RETRY_MS, undefined, { ref: false, signal });
    try {
      return await assertFit(options);
    } catch (error) {
      if (!isRpcFailure(error)) throw error;
      options.log.warn({ error: error.message }, 'the chain cannot be checked yet');
    }
  }
}

/** Throws on fatal faults; logs the others, such as an account without funds. */
async function assertFit({ log, ...options }: ChainCheckOptions): Promise<void> {
  const nowSeconds = () => Math.floor(Date.now() / 1_000);
  const faults = await findChainFaults({ ...options, nowSeconds });
  for (const { detail, remedy } of faults.filter(({ isFatal }) => !isFatal)) log.warn({ remedy }, detail);
  const fatal = faults.filter(({ isFatal }) => isFatal);
  if (fatal.length > 0) throw new ChainUnfit(options.settings, fatal);
}
