// Prepares logs for viem's decoders, and computes the selectors to ask for.
import type { WatchedLog } from '@presage/chain';
import type { Hex } from '@presage/protocol';
import { type parseEventLogs, toEventSelector } from 'viem';

/** Writes facts to the journal; resolves when they are durable. */
export type FactWriter = () => Promise<void>;

type ViemLogs = Parameters<typeof parseEventLogs>[0]['logs'];

/** viem's types require more fields than it reads. */
function toViemLogs(logs: readonly WatchedLog[]): ViemLogs {
  return logs as unknown as ViemLogs;
}

/**
 * Selects the logs with these topics. viem hashes every event of an ABI before it looks at a log, so it gets only relevant logs, and is not
 * called without any.
 */
export function selectLogs(logs: readonly WatchedLog[], topics: readonly Hex[]): ViemLogs {
  return toViemLogs(logs.filter((log) => log.topics[0] !== undefined && topics.includes(log.topics[0])));
}

export function selectorOf(abi: readonly { type: string; name?: string }[], name: string): Hex {
  const event = abi.find((item) => item.type === 'event' && item.name === name);
  if (event === undefined) throw new Error(`the ABI has no event ${name}`);
  return toEventSelector(event as Parameters<typeof toEventSelector>[0]);
}
