// What a sender promises its caller, on a real chain.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { RpcUnavailable } from '../src/rpc.ts';
import { OperationGivenUp } from '../src/sender/operation-view.ts';
import { SenderHalted } from '../src/sender/sender-ledger.ts';
import { OperationConflict, SenderClosed } from '../src/sender/transaction-sender.ts';
import { ContractReverted } from '../src/typed-contract.ts';
import { amountOf, ChainFixture, recipientOf } from './chain-fixture.ts';
import { SETTLER } from './sandbox-accounts.ts';
import { SenderBench } from './sender-bench.ts';

let chain: ChainFixture;
let index = 0;
beforeAll(async () => {
  chain = await ChainFixture.open();
});
afterEach(() => chain.holdMining(false));
afterAll(() => chain.close());

describe('a transaction sender', () => {
  it('journals the nonce and the bytes before the node sees them', async () => {
    const bench = new SenderBench(chain);
    const before: string[][] = [];
    bench.rpc.on('eth_sendRawTransaction', (_, pass) => {
      before.push(bench.memory.records.map(({ type }) => type));
      return pass();
    });
    const sent = await bench.sender.send(chain.mint(++index));
    expect(before).toEqual([['nonce-reserved', 'transaction-signed']]);
    expect(sent.stage).toBe('submitted');
    const done = await bench.until(sent.operationId, ({ stage }) => stage === 'confirmed');
    expect(done.hash).toBe(sent.hash);
    expect(bench.stages).toEqual(
      ['reserved', 'signed', 'submitted', 'mined', 'confirmed'].map((stage) => `mint-${index} ${stage}`),
    );
    expect(await chain.mintedBy(index)).toBe(amountOf(index));
  });

  it('takes the same operation id as the same operation, and refuses it for another request', async () => {
    const bench = new SenderBench(chain);
    const request = chain.mint(++index);
    const [first, second] = await Promise.all([bench.sender.send(request), bench.sender.send(request)]);
    expect(second.hash).toBe(first.hash);
    const other = { ...chain.mint(index + 1), operationId: request.operationId };
    await expect(bench.sender.enqueue(other)).rejects.toBeInstanceOf(OperationConflict);
    await bench.until(request.operationId, ({ stage }) => stage === 'confirmed');
    expect((await bench.sender.send(request)).stage).toBe('confirmed');
    expect(bench.records('nonce-reserved')).toHaveLength(1);
  });

  it('spends no nonce on a call that would revert, and says why', async () => {
    const bench = new SenderBench(chain);
    const call = chain.token.call('transfer', [recipientOf(0), 10n ** 30n]);
    const refused = await bench.sender.enqueue({ operationId: 'too-much', ...call }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ContractReverted);
    expect((refused as ContractReverted).revert.name).toBe('InsufficientBalance');
    expect(bench.memory.records).toEqual([]);
  });

  it('reports a mined revert as failed once it is confirmed', async () => {
    const bench = new SenderBench(chain);
    const call = chain.token.call('transfer', [recipientOf(0), 10n ** 30n]);
    await bench.sender.enqueue({ operationId: 'reverts', ...call, gasLimit: 100_000n });
    const done = await bench.until('reverts', ({ stage }) => stage !== 'mined' && stage !== 'submitted');
    expect(done.stage).toBe('failed');
  });

  it('estimates gas with a margin where none is given', async () => {
    const bench = new SenderBench(chain);
    const { gasLimit: _, ...request } = chain.mint(++index);
    await bench.sender.send(request);
    const gas = Number(bench.records('nonce-reserved')[0]!.request.gasLimit);
    expect(gas).toBeGreaterThan(50_000);
    expect(gas).toBeLessThan(100_000);
    await bench.until(request.operationId, ({ stage }) => stage === 'confirmed');
  });

  it('sends what is new while the node still owes answers about what was sent, and decides nothing old about it', async () => {
    const bench = new SenderBench(chain);
    await chain.holdMining(true);
    const [first, second] = [chain.mint(++index), chain.mint(++index)];
    await bench.sender.send(first);
    let release = () => {};
    const isAsked = new Promise<void>((asked) => {
      const isReleased = new Promise<void>((resolve) => {
        release = resolve;
      });
      bench.rpc.on('eth_getTransactionByHash', async (_, pass) => {
        const answer = await pass();
        asked();
        await isReleased;
        return answer;
      });
    });
    const round = bench.sender.advance();
    await isAsked;
    expect((await bench.sender.send(second)).stage).toBe('submitted');
    bench.rpc.off('eth_getTransactionByHash');
    release();
    expect(await round).toBe(true);
    await chain.holdMining(false);
    for (const { operationId } of [first, second]) {
      await bench.until(operationId, ({ stage }) => stage === 'confirmed');
    }
    expect(bench.records('transaction-signed')).toHaveLength(2);
    expect(bench.records('transaction-broadcast')).toHaveLength(2);
  });

  it('keeps at most the permitted number in flight and lets the others in as blocks come', async () => {
    const bench = new SenderBench(chain, { maxInFlight: 2 });
    await chain.holdMining(true);
    const indexes = [++index, ++index, ++index, ++index];
    const all = indexes.map((each) => bench.sender.send(chain.mint(each)));
    await Promise.all(all.slice(0, 2));
    for (let round = 0; round < 3; round += 1) await bench.sender.advance();
    expect(bench.records('nonce-reserved')).toHaveLength(2);
    await bench.until(`mint-${indexes[3]}`, ({ stage }) => stage === 'confirmed');
    await Promise.all(all);
    const nonces = bench.records('nonce-reserved').map(({ nonce }) => nonce);
    expect(nonces).toEqual(nonces.map((_, position) => nonces[0]! + position));
  });

  it('polls by itself once started, and stops when closed', async () => {
    const bench = new SenderBench(chain, { pollMs: 5 });
    bench.sender.start();
    await bench.sender.send(chain.mint(++index));
    while (bench.sender.status(`mint-${index}`)?.stage !== 'confirmed') await new Promise((r) => setTimeout(r, 5));
    await bench.sender.close();
    await expect(bench.sender.enqueue(chain.mint(index + 1))).rejects.toBeInstanceOf(SenderClosed);
    expect(await chain.mintedBy(index)).toBe(amountOf(index));
  });

  it('does nothing more once its journal has refused a record', async () => {
    const sent: unknown[] = [];
    const append = async (record: { type: string }) => {
      if (record.type === 'transaction-signed') throw new Error('disk full');
    };
    const bench = new SenderBench(chain, { journal: { append } });
    bench.rpc.on('eth_sendRawTransaction', async (params) => sent.push(params));
    await expect(bench.sender.send(chain.mint(++index))).rejects.toBeInstanceOf(SenderHalted);
    await expect(bench.sender.advance()).rejects.toBeInstanceOf(SenderHalted);
    expect(sent).toEqual([]);
    expect(bench.alarmTypes()).toEqual(['halted']);
  });

  it('accepts work while the node is unreachable and sends it when the node is back', async () => {
    const bench = new SenderBench(chain);
    await bench.sender.send(chain.mint(++index));
    const unreachable = async () => {
      throw new RpcUnavailable('transport', 'unreachable');
    };
    for (const method of ['eth_sendRawTransaction', 'eth_getBlockByNumber']) bench.rpc.on(method, unreachable);
    const accepted = await bench.sender.enqueue(chain.mint(++index));
    expect(accepted.stage).toBe('reserved');
    expect(await bench.sender.advance()).toBe(false);
    for (const method of ['eth_sendRawTransaction', 'eth_getBlockByNumber']) bench.rpc.off(method);
    await bench.until(`mint-${index}`, ({ stage }) => stage === 'confirmed');
  });

  it('gives up what the node will never take, frees its nonce and goes on', async () => {
    const bench = new SenderBench(chain);
    const tooExpensive = { ...chain.mint(++index), gasLimit: 10n ** 9n };
    await expect(bench.sender.send(tooExpensive)).rejects.toBeInstanceOf(OperationGivenUp);
    const next = chain.mint(++index);
    await bench.sender.enqueue(next);
    await bench.until(next.operationId, ({ stage }) => stage === 'confirmed');
    const given = await bench.until(tooExpensive.operationId, ({ stage }) => stage === 'abandoned');
    expect(given.reason).toMatch(/gas limit/);
    expect(bench.alarmTypes()).toEqual(['refused']);
    expect(await chain.mintedBy(index - 1)).toBe(0n);
  });

  it('frees the nonce of an abandoned operation by a self-transfer', async () => {
    const bench = new SenderBench(chain);
    await chain.holdMining(true);
    const request = chain.mint(++index);
    const { nonce } = await bench.sender.send(request);
    await bench.sender.abandon(request.operationId, 'not wanted any more');
    await bench.sender.advance();
    const done = await bench.until(request.operationId, ({ stage }) => stage === 'abandoned');
    expect(done.reason).toBe('not wanted any more');
    const mined = (await chain.transactionsOf(SETTLER.address)).find((transaction) => transaction.nonce === nonce);
    expect(mined?.to).toBe(SETTLER.address.toLowerCase());
    expect(await chain.mintedBy(index)).toBe(0n);
  });

  it('ends an abandoned operation as confirmed when its payload was mined first', async () => {
    const bench = new SenderBench(chain);
    const request = chain.mint(++index);
    await bench.sender.send(request);
    await chain.mine();
    await bench.sender.abandon(request.operationId, 'too late');
    const done = await bench.until(request.operationId, ({ stage }) => stage !== 'submitted' && stage !== 'mined');
    expect(done.stage).toBe('confirmed');
    expect(await chain.mintedBy(index)).toBe(amountOf(index));
  });
});
