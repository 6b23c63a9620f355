// What was acknowledged is there after any end of the process, and nothing is left behind by it.
import { spawn } from 'node:child_process';
import { open, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { isProcessRunning } from '@presage/runtime/node';
import { RUNNER, waitFor } from '@presage/testkit';
import { describe, expect, it } from 'vitest';
import { keyOf } from '../src/sandbox-keys.ts';
import { LEAST_ORIGIN_NUMBER } from '../src/snapshot/least-origin.ts';
import { ask, makeDataDir, readBlock, readReceipt, SOMEBODY, sendAs, startChain } from './chain-client.ts';

describe('the chain process', () => {
  it('comes back from kill -9 with the same head hash, state root, pool and time offset', async () => {
    const dataDir = await makeDataDir();
    const first = await startChain({ dataDir });
    for (const nonce of [0, 1, 2]) {
      await readReceipt(first.url, await sendAs(first.url, 'owner', { nonce, to: SOMEBODY, value: 5n }));
    }
    await readReceipt(
      first.url,
      await ask(first.url, 'presage_sendAs', { from: SOMEBODY, to: keyOf('owner').address }),
    );
    await ask(first.url, 'presage_setTimeOffset', 86_400);
    await ask(first.url, 'presage_faults', { mining: 'held' });
    const stuck = await sendAs(first.url, 'owner', { nonce: 3, to: SOMEBODY, value: 1n, feeWei: 10n });
    const better = await sendAs(first.url, 'owner', { nonce: 3, to: SOMEBODY, value: 2n, feeWei: 11n });
    const gapped = await sendAs(first.url, 'owner', { nonce: 5, to: SOMEBODY });
    const before = await readBlock(first.url);
    await first.kill();

    const second = await startChain({ dataDir, lingerMs: 3_000 });
    expect(second.ready).toMatchObject({
      blockNumber: before.number,
      blockHash: before.hash,
      replayedBlocks: before.number,
    });
    expect(await readBlock(second.url)).toEqual(before);
    expect(await ask(second.url, 'presage_time')).toMatchObject({
      offsetSeconds: 86_400,
      headTimestamp: before.timestamp,
    });
    expect(await ask(second.url, 'eth_getTransactionByHash', stuck)).toBeNull();
    expect(await ask(second.url, 'eth_getTransactionByHash', better)).toMatchObject({ blockHash: null });
    expect(await ask(second.url, 'eth_getTransactionByHash', gapped)).toMatchObject({ blockHash: null });
    expect(await readReceipt(second.url, better)).toMatchObject({ status: '0x1' });
    expect(await ask(second.url, 'eth_getBalance', SOMEBODY, 'latest')).toBe('0x11');
  });

  it('saves the state of its first load when it begins with empty blocks', async () => {
    const dataDir = await makeDataDir();
    const first = await startChain({ dataDir, leadBlocks: LEAST_ORIGIN_NUMBER, snapshotGas: 1 });
    expect(first.ready.blockNumber).toBe(LEAST_ORIGIN_NUMBER);
    await readReceipt(first.url, await sendAs(first.url, 'owner', { nonce: 0, to: SOMEBODY, value: 5n }));
    const isState = (name: string) => name.startsWith('state-') && !name.endsWith('.tmp');
    const isSaved = async () => (await readdir(join(dataDir, 'snapshots'))).some(isState);
    await waitFor('a snapshot is written', isSaved);
    const before = await readBlock(first.url);
    await first.kill();
    const second = await startChain({ dataDir, leadBlocks: LEAST_ORIGIN_NUMBER, snapshotGas: 1 });
    expect(await readBlock(second.url)).toEqual(before);
    expect(second.ready.replayedBlocks).toBeLessThan(before.number);
  });

  it('ends with 0 on SIGTERM and keeps the same head', async () => {
    const dataDir = await makeDataDir();
    const first = await startChain({ dataDir });
    await sendAs(first.url, 'owner', { nonce: 0, to: SOMEBODY, value: 5n });
    await ask(first.url, 'presage_mine', 2);
    const before = await readBlock(first.url);
    await first.stop();
    const second = await startChain({ dataDir });
    expect(await readBlock(second.url)).toEqual(before);
  });

  it('refuses a data directory that another chain process uses', async () => {
    const dataDir = await makeDataDir();
    const first = await startChain({ dataDir });
    await expect(startChain({ dataDir })).rejects.toThrow(`Process ${first.pid} already writes`);
    await first.kill();
    await startChain({ dataDir });
  });

  it('cuts a torn last record and goes on from the block before', async () => {
    const dataDir = await makeDataDir();
    const first = await startChain({ dataDir });
    await ask(first.url, 'presage_mine', 3);
    const third = await readBlock(first.url);
    const { path, end } = await findLogEnd(dataDir);
    await ask(first.url, 'presage_mine');
    const grown = await findLogEnd(dataDir);
    await first.kill();
    await overwrite(path, end + 20, Buffer.alloc(grown.end - end - 20));
    const second = await startChain({ dataDir });
    expect(await readBlock(second.url)).toEqual(third);
    await ask(second.url, 'presage_mine');
    expect((await readBlock(second.url)).number).toBe(4);
  });

  it('refuses to start on damage before the last record and says where', async () => {
    const dataDir = await makeDataDir();
    const first = await startChain({ dataDir });
    await ask(first.url, 'presage_mine');
    const { path, end } = await findLogEnd(dataDir);
    await ask(first.url, 'presage_mine', 3);
    await first.kill();
    await overwrite(path, end - 10, Buffer.from([0xff]));
    await expect(startChain({ dataDir })).rejects.toThrow(/The journal is damaged.* at byte \d+/);
  });

  it('ends by itself when the process that started it is killed', async () => {
    const dataDir = await makeDataDir();
    const starter = fileURLToPath(new URL('./orphan-maker.ts', import.meta.url));
    const parent = spawn(process.execPath, [RUNNER, starter, dataDir], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const pid = await new Promise<number>((resolve) => {
      createInterface({ input: parent.stdout }).once('line', (line) => resolve(Number(line)));
    });
    expect(isProcessRunning(pid)).toBe(true);
    parent.kill('SIGKILL');
    await expect.poll(() => isProcessRunning(pid), { timeout: 10_000 }).toBe(false);
    await startChain({ dataDir });
  });

  it('says what is wrong with its arguments', async () => {
    await expect(startChain({ port: 70_000 })).rejects.toThrow('--port must be an integer from 0 to 65535');
  });
});

/** Where the last record ends: the file is filled up with zeros beyond it, and a record is JSON and so ends with a brace. */
async function findLogEnd(dataDir: string): Promise<{ path: string; end: number }> {
  const dir = join(dataDir, 'log');
  const names = await readdir(dir);
  const sizes = await Promise.all(
    names.map(async (name) => ({ path: join(dir, name), size: (await stat(join(dir, name))).size })),
  );
  const { path } = sizes.reduce((largest, file) => (file.size > largest.size ? file : largest));
  return { path, end: (await readFile(path)).lastIndexOf('}') + 1 };
}

async function overwrite(path: string, position: number, bytes: Buffer): Promise<void> {
  const file = await open(path, 'r+');
  await file.write(bytes, 0, bytes.length, position);
  await file.close();
}
