// A chain's context with only the parts that a test gives; a module that asks for another fails.
import { NodeReader, type Rpc } from '@presage/chain';
import { SILENT_LOG } from '@presage/testkit';
import type { ChainContext } from '../src/chains/chain-context.ts';

type Parts = {
  readonly [Name in keyof ChainContext]?: ChainContext[Name] extends object ? object : ChainContext[Name];
};

export function createContext(parts: Parts): ChainContext {
  const clock = { nowMs: () => 1, nowSeconds: () => 0 };
  const node = parts.rpc && new NodeReader(parts.rpc as Rpc);
  return { log: SILENT_LOG, clock, addresses: addressesIn(parts), node, ...parts } as ChainContext;
}

/** The contracts that the test gives, as the service keeps them. */
function addressesIn({ chain }: Parts): object {
  const { contracts = {} } = (chain ?? {}) as { contracts?: Readonly<Record<string, string>> };
  return Object.fromEntries(Object.entries(contracts).map(([name, address]) => [name, address.toLowerCase()]));
}
