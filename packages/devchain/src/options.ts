// The command line of the chain process, checked as a whole before anything starts.
import { parseArgs } from 'node:util';
import { SNAPSHOT_GAS } from './snapshot/checkpointer.ts';

export interface ChainProcessOptions {
  /** Without one, the chain lives as long as the process. */
  readonly dataDir: string | undefined;
  /** The first chain of a sandbox by default. */
  readonly chainId: number | undefined;
  readonly host: string;
  readonly port: number;
  /** Port of the simulated price feed; without one there is no feed. */
  readonly feedPort: number | undefined;
  readonly blockIntervalMs: number;
  readonly lingerMs: number;
  /** A snapshot is due when the blocks since the last one took this much gas. */
  readonly snapshotGas: number;
  readonly parentPid: number | undefined;
}

export function parseOptions(argv: readonly string[]): ChainProcessOptions {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      'data-dir': { type: 'string' },
      'chain-id': { type: 'string' },
      host: { type: 'string', default: '127.0.0.1' },
      port: { type: 'string', default: '0' },
      'feed-port': { type: 'string' },
      'block-interval-ms': { type: 'string', default: '1000' },
      'linger-ms': { type: 'string', default: '20' },
      'snapshot-gas': { type: 'string', default: String(SNAPSHOT_GAS) },
      'parent-pid': { type: 'string' },
    },
  });
  return {
    dataDir: values['data-dir'],
    chainId:
      values['chain-id'] === undefined
        ? undefined
        : parseCount('--chain-id', values['chain-id'], Number.MAX_SAFE_INTEGER),
    host: values.host,
    port: parseCount('--port', values.port, 65_535),
    feedPort: values['feed-port'] === undefined ? undefined : parseCount('--feed-port', values['feed-port'], 65_535),
    blockIntervalMs: parseCount('--block-interval-ms', values['block-interval-ms'], 60_000),
    lingerMs: parseCount('--linger-ms', values['linger-ms'], 60_000),
    snapshotGas: parseCount('--snapshot-gas', values['snapshot-gas'], Number.MAX_SAFE_INTEGER),
    parentPid:
      values['parent-pid'] === undefined ? undefined : parseCount('--parent-pid', values['parent-pid'], 2 ** 31),
  };
}

function parseCount(name: string, text: string, most: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value <= most) return value;
  throw new Error(`${name} must be an integer from 0 to ${most}, not "${text}"`);
}
