// Which logs somebody wants: addresses and topics, each one value, any of several, or anything at all.
import { isObject } from '@presage/protocol';
import { RpcError, rpcCode } from './rpc-error.ts';

export interface LogFilter {
  readonly addresses: ReadonlySet<string> | undefined;
  readonly topics: readonly (ReadonlySet<string> | undefined)[];
}

interface Log {
  readonly address: string;
  readonly topics: readonly string[];
}

export function parseLogFilter(filter: unknown): LogFilter {
  if (!isObject(filter)) throw invalid('the log filter must be an object');
  const { address, topics = [] } = filter;
  if (!Array.isArray(topics) || topics.length > 4) throw invalid('topics must be an array of at most four');
  return { addresses: parseChoice(address), topics: topics.map(parseChoice) };
}

export function matchesLog(log: Log, filter: LogFilter): boolean {
  if (filter.addresses && !filter.addresses.has(log.address.toLowerCase())) return false;
  return filter.topics.every((choice, index) => !choice || choice.has(log.topics[index]?.toLowerCase() ?? ''));
}

function parseChoice(value: unknown): ReadonlySet<string> | undefined {
  if (value === undefined || value === null) return undefined;
  const choices: unknown[] = Array.isArray(value) ? value : [value];
  if (choices.length === 0) return undefined;
  if (choices.every((choice) => typeof choice === 'string')) {
    return new Set(choices.map((choice) => choice.toLowerCase()));
  }
  throw invalid('addresses and topics must be hexadecimal strings');
}

function invalid(message: string): RpcError {
  return new RpcError(rpcCode.invalidParams, message);
}
