// A chain's context with only the parts that a test gives; a module that asks for another fails.
import { SILENT_LOG } from '@presage/testkit';
import type { ChainContext } from '../src/chains/chain-context.ts';

type Parts = {
  readonly [Name in keyof ChainContext]?: ChainContext[Name] extends object ? object : ChainContext[Name];
};

export function createContext(parts: Parts): ChainContext {
  return { log: SILENT_LOG, clock: { nowMs: () => 1, nowSeconds: () => 0 }, ...parts } as ChainContext;
}
