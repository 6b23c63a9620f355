// The service's configuration, read once before anything that needs it is rendered.
import type { ChainConfig, ServiceConfig } from '@presage/sdk';
import { createContext, useContext } from 'react';

export const ConfigContext = createContext<ServiceConfig | undefined>(undefined);

export function useConfig(): ServiceConfig {
  const config = useContext(ConfigContext);
  if (config === undefined) throw new Error('the configuration is not there yet');
  return config;
}

/** The chain of a market, or the service's first. The argument is required, so that no market shows the terms of another chain. */
export function useChain(wanted: number | undefined): ChainConfig {
  const { chains } = useConfig();
  const chain = chains.find(({ chainId }) => chainId === wanted) ?? chains[0];
  if (chain === undefined) throw new Error('the service has no chain');
  return chain;
}
