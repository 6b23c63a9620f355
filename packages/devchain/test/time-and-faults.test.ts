// Time travel moves the chain's clock for blocks and for simulations; fault switches make the chain unreachable and reachable again.
import { describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { keyOf } from '../src/sandbox-keys.ts';
import {
  ask,
  deployWitness,
  makeDataDir,
  post,
  readBlock,
  readReceipt,
  readWitness,
  SOMEBODY,
  sendAs,
  signAs,
  startChain,
} from './chain-client.ts';

const DAY = 86_400;

describe('time', () => {
  it('travels forward: blocks and simulations see it, and a restart keeps it', async () => {
    const dataDir = await makeDataDir();
    const chain = await startChain({ dataDir });
    const witness = await deployWitness(chain.url);
    const start = (await readBlock(chain.url)).timestamp;
    await ask(chain.url, 'presage_setTimeOffset', 30 * DAY);
    const moved = await readBlock(chain.url);
    expect(moved.timestamp).toBeGreaterThanOrEqual(start + 30 * DAY);
    expect((await readWitness(chain.url, witness)).time).toBeGreaterThanOrEqual(moved.timestamp);
    await chain.kill();
    const again = await startChain({ dataDir });
    await ask(again.url, 'presage_mine');
    expect((await readBlock(again.url)).timestamp).toBeGreaterThanOrEqual(moved.timestamp);
    expect(await ask(again.url, 'presage_time')).toMatchObject({ offsetSeconds: 30 * DAY });
  });

  it('never goes below the parent block when the offset is taken back', async () => {
    const chain = await startChain();
    await ask(chain.url, 'presage_setTimeOffset', DAY);
    const ahead = (await readBlock(chain.url)).timestamp;
    await ask(chain.url, 'presage_setTimeOffset', 0);
    await readReceipt(chain.url, await sendAs(chain.url, 'owner', { nonce: 0, to: SOMEBODY }));
    expect((await readBlock(chain.url)).timestamp).toBe(ahead);
  });

  it('passes in simulations while no block is mined, and stands still in a named old block', async () => {
    const chain = await startChain();
    const witness = await deployWitness(chain.url);
    const { number, timestamp } = await readBlock(chain.url);
    await expect
      .poll(async () => (await readWitness(chain.url, witness)).time, { timeout: 5_000 })
      .toBeGreaterThan(timestamp);
    expect((await readWitness(chain.url, witness, 'latest')).time).toBeGreaterThan(timestamp);
    expect((await readWitness(chain.url, witness, 'pending')).time).toBeGreaterThan(timestamp);
    expect(await readWitness(chain.url, witness, `0x${number.toString(16)}`)).toEqual({ time: timestamp, number });
    expect((await readBlock(chain.url)).number).toBe(number);
  });

  it('shows a pending simulation what waits in the pool, and a latest one only what is mined', async () => {
    const chain = await startChain({ blockIntervalMs: 60_000, lingerMs: 60_000 });
    const reader = { to: '0x0000000000000000000000000000000000000000', data: '0x' };
    await ask(chain.url, 'eth_call', reader, 'latest');
    const hash = await sendAs(chain.url, 'owner', { nonce: 0, to: SOMEBODY, value: 3n });
    await ask(chain.url, 'eth_call', reader, 'latest');
    expect((await readBlock(chain.url)).number).toBe(0);
    await ask(chain.url, 'eth_call', reader, 'pending');
    expect((await readBlock(chain.url)).transactions).toEqual([hash]);
  });
});

describe('fault switches', () => {
  it('make the chain unreachable: requests and sockets are cut, presage_* still answers, and everything works again afterwards', async () => {
    const dataDir = await makeDataDir();
    const chain = await startChain({ dataDir });
    const socket = new WebSocket(chain.wsUrl);
    await new Promise((resolve) => socket.once('open', resolve));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    await ask(chain.url, 'presage_faults', { chain: 'down' });
    await closed;
    await expect(ask(chain.url, 'eth_blockNumber')).rejects.toThrow('fetch failed');
    await expect(openSocket(chain.wsUrl)).rejects.toThrow();
    expect(await ask(chain.url, 'presage_status')).toMatchObject({ faults: { chain: 'down' } });
    await ask(chain.url, 'presage_faults', { chain: 'up' });
    expect(await ask(chain.url, 'eth_blockNumber')).toBe('0x0');
    await ask(chain.url, 'presage_faults', { chain: 'down' });
    await chain.kill();
    expect(await ask((await startChain({ dataDir })).url, 'eth_blockNumber')).toBe('0x0');
  });

  it('slow the chain down for everything but presage_*', async () => {
    const chain = await startChain();
    await ask(chain.url, 'presage_faults', { chain: 'slow', slowMs: 60_000 });
    const late = ask(chain.url, 'eth_blockNumber').catch(() => 'cut');
    expect(await Promise.race([late, ask(chain.url, 'presage_status').then(() => 'answered')])).toBe('answered');
  });

  it('lose the answer to an accepted transaction', async () => {
    const chain = await startChain();
    await ask(chain.url, 'presage_faults', { loseAnswers: 1 });
    const raw = await signAs('owner', { nonce: 0, to: SOMEBODY, value: 9n });
    await expect(ask(chain.url, 'eth_sendRawTransaction', raw)).rejects.toThrow('fetch failed');
    await expect.poll(() => ask(chain.url, 'eth_getBalance', SOMEBODY, 'latest')).toBe('0x9');
  });

  it('refuse what they do not know and change nothing', async () => {
    const chain = await startChain();
    const { error } = await post(chain.url, {
      jsonrpc: '2.0',
      id: 1,
      method: 'presage_faults',
      params: [{ chain: 'gone' }],
    });
    expect(error).toMatchObject({ code: -32602, message: 'unknown fault or value: chain = "gone"' });
    expect(await ask(chain.url, 'presage_status')).toMatchObject({
      chainId: 31337,
      poolSize: 0,
      faults: { chain: 'up', mining: 'auto' },
      keys: expect.arrayContaining([{ role: 'owner', address: keyOf('owner').address }]),
    });
  });
});

function openSocket(url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url);
    socket.once('open', () => resolve());
    socket.once('error', reject);
  });
}
