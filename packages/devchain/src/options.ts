// Parses the command line of the chain process completely before anything starts.
import { parseArgs } from 'node:util';
import { SNAPSHOT_GAS } from './snapshot/checkpointer.ts';

export function parseOptions(argv: readonly string[]) {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      // Without a data directory the chain lives as long as the process.
      'data-dir': { type: 'string' },
      // The first chain of a sandbox by default.
      'chain-id': { type: 'string' },
      host: { type: 'string', default: '127.0.0.1' },
      port: { type: 'string', default: '0' },
      // Port of the simulated price feed; without a port there is no feed.
      'feed-port': { type: 'string' },
      'block-interval-ms': { type: 'string', default: '1000' },
      'linger-ms': { type: 'string', default: '20' },
      // A snapshot is due when the blocks since the last one took this much gas.
      'snapshot-gas': { type: 'string', default: String(SNAPSHOT_GAS) },
      // Empty blocks that a new chain begins with: no state can be saved before block 64.
      'lead-blocks': { type: 'string', default: '0' },
      'parent-pid': { type: 'string' },
    },
  });
  return {
    dataDir: values['data-dir'],
    chainId: parseCount('--chain-id', values['chain-id'], Number.MAX_SAFE_INTEGER),
    host: values.host,
    port: parseCount('--port', values.port, 65_535),
    feedPort: parseCount('--feed-port', values['feed-port'], 65_535),
    blockIntervalMs: parseCount('--block-interval-ms', values['block-interval-ms'], 60_000),
    lingerMs: parseCount('--linger-ms', values['linger-ms'], 60_000),
    snapshotGas: parseCount('--snapshot-gas', values['snapshot-gas'], Number.MAX_SAFE_INTEGER),
    leadBlocks: parseCount('--lead-blocks', values['lead-blocks'], 1_000),
    parentPid: parseCount('--parent-pid', values['parent-pid'], 2 ** 31),
  };
}

function parseCount<T extends string | undefined>(name: string, text: T, most: number): T extends string ? number : T;
function parseCount(name: string, text: string | undefined, most: number): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (/^\d+$/.test(text) && value <= most) return value;
  throw new Error(`${name} must be an integer from 0 to ${most}, not "${text}"`);
}
