// Opens every chain of the configuration.
import type { Shutdown } from '@presage/runtime';
import { Chains, type ChainsOptions } from './chains.ts';

export interface OpenChainsOptions extends ChainsOptions {
  readonly shutdown: Shutdown;
}

/** Each is closed by itself; all are closed together by the shutdown, also while one has never answered. */
export async function openChains({ shutdown, ...options }: OpenChainsOptions): Promise<Chains> {
  const chains = new Chains(options);
  shutdown.add('chains', () => chains.close());
  await chains.open();
  return chains;
}
