// Readiness is answered from what is known: a node that takes requests and never answers makes nobody wait for it.
import { createServer, type Server, type Socket } from 'node:net';
import { JsonRpc } from '@presage/chain';
import { waitFor } from '@presage/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { StatusService } from '../../src/api/status.ts';
import { JournalFaults } from '../../src/host/journal-faults.ts';

type StatusServiceOptions = ConstructorParameters<typeof StatusService>[0];

/** A node that answers until it is told to hang. */
class FickleNode {
  isHanging = false;
  asked = 0;
  readonly #sockets = new Set<Socket>();
  readonly #server: Server = createServer((socket) => {
    this.#sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', (data) => {
      this.asked++;
      if (this.isHanging) return;
      const ids = [...data.toString().matchAll(/"id":(\d+)/g)].map(([, id]) => id);
      const answers = ids.map((id) => ({ jsonrpc: '2.0', id: Number(id), result: '0x1' }));
      const isBatch = data.toString().includes('\r\n\r\n[');
      const body = JSON.stringify(isBatch ? answers : answers[0]);
      socket.write(
        `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      );
    });
  });

  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      for (const socket of this.#sockets) socket.destroy();
      this.#server.close();
    });
    return `http://127.0.0.1:${(this.#server.address() as { port: number }).port}`;
  }
}

async function openStatus(
  node: FickleNode,
  nowMs: () => number,
  lacking: readonly string[] = [],
  faults = new JournalFaults(),
) {
  const config = { chainId: 1, name: 'one' };
  const chain = {
    config,
    rpc: new JsonRpc({ url: await node.open() }),
    relayer: { address: `0x${'11'.repeat(20)}` },
    stuckSenders: () => [],
    operations: { alarms: () => [] },
  };
  const chains = { list: () => [chain], find: () => chain, onOpened: async () => undefined };
  // Only what readiness asks for.
  const options = {
    config: { chains: [config] },
    chains,
    nowMs,
    isDatabaseUp: async () => true,
    faults,
    lacking: () => lacking,
    viewTrouble: () => undefined,
    isStandbyAway: () => false,
    hasOtherReceiptKey: () => false,
  };
  return new StatusService(options as unknown as StatusServiceOptions);
}

describe('readiness', () => {
  it('is refused while the journal or the engine is missing, and names them', async () => {
    const lacking: string[] = [];
    const status = await openStatus(new FickleNode(), () => 0, lacking);
    expect(await status.ready()).toEqual({ status: 'ready', degraded: [] });
    lacking.push('journal', 'engine');
    expect(await status.ready()).toEqual({ status: 'waiting', degraded: ['journal', 'engine'] });
    lacking.length = 0;
    expect(await status.ready()).toEqual({ status: 'ready', degraded: [] });
  });

  it('is refused while the disk has no room for another record, and names it', async () => {
    const faults = new JournalFaults();
    const status = await openStatus(new FickleNode(), () => 0, [], faults);
    faults.note('disk_full', true);
    expect(await status.ready()).toEqual({ status: 'waiting', degraded: ['disk'] });
    faults.note('disk_full', false);
    expect(await status.ready()).toEqual({ status: 'ready', degraded: [] });
  });

  it('keeps the last known state while the node hangs, then names the chain, and recovers when it answers', async () => {
    let now = 0;
    const node = new FickleNode();
    const status = await openStatus(node, () => now);
    expect(await status.ready()).toEqual({ status: 'ready', degraded: [] });
    node.isHanging = true;
    now += 5_000;
    const asked = node.asked;
    const answers = await Promise.all(Array.from({ length: 50 }, () => status.ready()));
    expect(new Set(answers.map((answer) => JSON.stringify(answer)))).toEqual(
      new Set([JSON.stringify({ status: 'ready', degraded: [] })]),
    );
    expect(node.asked - asked).toBeLessThanOrEqual(2);
    const isDegraded = async () => {
      now += 5_000;
      return (await status.ready()).degraded.includes('chain');
    };
    await waitFor('the chain is named', isDegraded);
    node.isHanging = false;
    await waitFor('the chain is forgiven', async () => !(await isDegraded()));
  });
});
