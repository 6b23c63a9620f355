// The chain process: takes its ports, replays its log, serves, announces itself on stdout, and shuts down on request or
// when its parent has exited.
import { join } from 'node:path';
import { messageOf } from '@presage/runtime';
import { watchParent } from '@presage/runtime/node';
import { type ChainLog, JournalChainLog, NoChainLog } from './chain-log.ts';
import { Faults } from './faults.ts';
import { openFeed } from './feed/feed-server.ts';
import { HeldPort } from './held-port.ts';
import { parseOptions } from './options.ts';
import { RpcRouter } from './rpc/rpc-router.ts';
import { RpcServer } from './rpc/rpc-server.ts';
import { SandboxChain } from './sandbox-chain.ts';
import { SnapshotStore } from './snapshot/snapshot-store.ts';

function say(line: Record<string, unknown>): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

function openLog(dataDir: string | undefined): Promise<ChainLog> {
  return dataDir === undefined ? Promise.resolve(new NoChainLog()) : JournalChainLog.open(dataDir);
}

async function openStore(dataDir: string | undefined): Promise<SnapshotStore | undefined> {
  if (dataDir === undefined) return undefined;
  const onDamage = (message: string) => void process.stderr.write(`${message}\n`);
  return SnapshotStore.open({ dir: join(dataDir, 'snapshots'), onDamage });
}

async function main(): Promise<void> {
  const options = parseOptions(process.argv.slice(2));
  // A closed stdout is no reason to stop; the parent's death is, and is watched separately.
  process.stdout.on('error', () => {});
  let stop = async () => {};
  const end = () => {
    void stop().then(() => process.exit(0), fail);
  };
  watchParent(end, options.parentPid);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, end);

  const startedAt = performance.now();
  const { host } = options;
  const rpcPort = await HeldPort.take(host, options.port);
  const feedPort = options.feedPort === undefined ? undefined : await HeldPort.take(host, options.feedPort);
  const toAddress = ({ port }: HeldPort) => `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const address = toAddress(rpcPort);
  const urls = { url: `http://${address}`, ...(feedPort && { feedUrl: `http://${toAddress(feedPort)}` }) };
  const log = await openLog(options.dataDir);
  stop = () => log.close();
  const isNew = log.count === 0;
  // From now on connections wait for the replay instead of being refused, so a service may start meanwhile.
  say({ type: 'listening', ...urls, isNew });
  const { chainId, blockIntervalMs, lingerMs, snapshotGas } = options;
  const onProgress = (done: number, total: number) => say({ type: 'progress', done, total });
  const store = await openStore(options.dataDir);
  const chain = await SandboxChain.open({ log, store, chainId, blockIntervalMs, lingerMs, snapshotGas, onProgress });
  stop = () => chain.close();
  if (chain.head.number === 0) await chain.mine(options.leadBlocks);
  const replayMs = Math.round(performance.now() - startedAt);

  const faults = new Faults();
  const onFaults = () => {
    if (faults.isDown) setImmediate(() => server.cutSockets());
  };
  const router = new RpcRouter({ chain, faults, onFaults });
  const server = await RpcServer.open({ chain, router, faults, port: rpcPort });
  stop = () => server.close().then(() => chain.close());
  const feed = await openFeed(feedPort, () => chain.clock.nowSeconds());
  stop = () => Promise.all([server.close(), feed?.close()]).then(() => chain.close());

  const { number: blockNumber, hash: blockHash } = chain.head;
  const { replayedBlocks } = chain;
  say({
    type: 'ready',
    ...urls,
    wsUrl: `ws://${address}`,
    isNew,
    blockNumber,
    blockHash,
    replayedBlocks,
    replayMs,
  });
}

function fail(error: unknown): void {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exit(1);
}

main().catch(fail);
