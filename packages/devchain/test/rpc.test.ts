// The chain behaves over HTTP and WebSocket as any Ethereum node does, for viem and for garbage.
import { connect } from 'node:net';
import { createPublicClient, createWalletClient, http, parseAbiItem, webSocket } from 'viem';
import { mnemonicToAccount, privateKeyToAccount } from 'viem/accounts';
import { foundry } from 'viem/chains';
import { describe, expect, it } from 'vitest';
import { keyOf, SANDBOX_MNEMONIC, sandboxKeys } from '../src/sandbox-keys.ts';
import { ask, askForFault, deployWitness, post, readBlock, SOMEBODY, sendAs, shareChain } from './chain-client.ts';

describe('the chain over JSON-RPC', () => {
  const chain = shareChain();

  it('serves viem over HTTP: chain id, balances, a transfer and its receipt', async () => {
    const transport = http(chain.url);
    const reader = createPublicClient({ chain: foundry, transport, pollingInterval: 20 });
    const account = privateKeyToAccount(keyOf('demoWallet').privateKey);
    const wallet = createWalletClient({ chain: foundry, transport, account });
    expect(await reader.getChainId()).toBe(31337);
    expect(await reader.getBalance({ address: account.address })).toBe(10n ** 24n);
    const hash = await wallet.sendTransaction({ to: SOMEBODY, value: 7n });
    const receipt = await reader.waitForTransactionReceipt({ hash });
    expect(receipt.status).toBe('success');
    expect(await reader.getBalance({ address: SOMEBODY })).toBe(7n);
    expect((await reader.getTransaction({ hash })).blockHash).toBe(receipt.blockHash);
  });

  it('sends a WebSocket client new heads and logs until it unsubscribes', async () => {
    const witness = await deployWitness(chain.url);
    const reader = createPublicClient({ chain: foundry, transport: webSocket(chain.wsUrl) });
    const heads: bigint[] = [];
    const logs: (string | null)[] = [];
    const stopHeads = reader.watchBlockNumber({ onBlockNumber: (number) => heads.push(number) });
    const stopLogs = reader.watchEvent({
      address: witness,
      onLogs: (found) => logs.push(...found.map((log) => log.transactionHash)),
    });
    const stopOthers = reader.watchEvent({
      event: parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 value)'),
      onLogs: () => logs.push('not subscribed'),
    });
    await expect.poll(() => ask(chain.url, 'presage_status')).toMatchObject({ subscriptions: 3 });
    const first = await sendAs(chain.url, 'owner', { nonce: 1, to: witness });
    await expect.poll(() => logs).toEqual([first]);
    const head = BigInt((await readBlock(chain.url)).number);
    await expect.poll(() => heads.at(-1)).toBe(head);
    stopHeads();
    stopLogs();
    stopOthers();
    await expect.poll(() => ask(chain.url, 'presage_status')).toMatchObject({ subscriptions: 0 });
    await sendAs(chain.url, 'owner', { nonce: 2, to: witness });
    await ask(chain.url, 'presage_mine');
    expect(logs).toEqual([first]);
    expect(heads.at(-1)).toBe(head);
    (await reader.transport.getRpcClient()).close();
  });

  it('answers a batch in order and leaves notifications without an answer', async () => {
    const answers = (await post(chain.url, [
      { jsonrpc: '2.0', id: 'a', method: 'eth_chainId' },
      { jsonrpc: '2.0', method: 'eth_blockNumber' },
      { jsonrpc: '2.0', id: 7, method: 'net_version', params: [] },
      5,
    ])) as unknown as { id: unknown; result?: unknown; error?: { code: number } }[];
    expect(answers.map(({ id, result, error }) => [id, result ?? error?.code])).toEqual([
      ['a', '0x7a69'],
      [7, '31337'],
      [null, -32600],
    ]);
  });

  it('answers garbage with the error JSON-RPC names for it and goes on', async () => {
    const cases: [string, number][] = [
      ['{', -32700],
      ['', -32700],
      ['[]', -32600],
      ['{}', -32600],
      ['"x"', -32600],
      ['null', -32600],
      ['{"jsonrpc":"1.0","id":1,"method":"eth_chainId"}', -32600],
      ['{"jsonrpc":"2.0","id":{},"method":"eth_chainId"}', -32600],
      ['{"jsonrpc":"2.0","id":1,"method":7}', -32600],
      ['{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":{}}', -32602],
      ['{"jsonrpc":"2.0","id":1,"method":"eth_nothing"}', -32601],
      ['{"jsonrpc":"2.0","id":1,"method":"__proto__"}', -32601],
      ['{"jsonrpc":"2.0","id":1,"method":"constructor"}', -32601],
      ['{"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["zz","latest"]}', -32602],
      ['{"jsonrpc":"2.0","id":1,"method":"eth_sendRawTransaction","params":[]}', -32602],
      ['{"jsonrpc":"2.0","id":1,"method":"eth_sendRawTransaction","params":["0x02"]}', -32602],
      ['{"jsonrpc":"2.0","id":1,"method":"presage_sendAs","params":[{"from":"0x12"}]}', -32602],
      ['{"jsonrpc":"2.0","id":1,"method":"presage_reorg","params":[{"depth":1000}]}', -32602],
      ['{"jsonrpc":"2.0","id":1,"method":"presage_mine","params":[-1]}', -32602],
      ['{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}', -32601],
    ];
    for (const [body, code] of cases) {
      expect({ body, code: (await post(chain.url, body)).error?.code }).toEqual({ body, code });
    }
    expect(await ask(chain.url, 'eth_chainId')).toBe('0x7a69');
  });

  it('refuses a body over its limit and survives a client that hangs up half way', async () => {
    const response = await fetch(chain.url, { method: 'POST', body: 'x'.repeat(6 * 1024 * 1024) });
    expect(response.status).toBe(413);
    const port = Number(new URL(chain.url).port);
    await new Promise<void>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n{"json');
        setTimeout(() => socket.destroy(), 50);
      });
      socket.on('close', () => resolve());
    });
    expect((await fetch(chain.url)).status).toBe(405);
    expect(await ask(chain.url, 'eth_chainId')).toBe('0x7a69');
  });

  it('lets pages of this machine and wallet extensions in and pages of the internet not', async () => {
    const requestFrom = (origin: string) =>
      fetch(chain.url, {
        method: 'POST',
        headers: { origin },
        body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}',
      });
    expect((await requestFrom('http://localhost:8080')).headers.get('access-control-allow-origin')).toBe(
      'http://localhost:8080',
    );
    expect((await requestFrom('chrome-extension://nkbihfbeogaeaoehlefnkodbefgpgknn')).status).toBe(200);
    for (const origin of ['https://example.com', 'http://127.0.0.1.example.com', 'null']) {
      expect((await requestFrom(origin)).status).toBe(403);
    }
  });

  it('refuses what its log would not record and names what to use instead', async () => {
    const before = await readBlock(chain.url);
    const cases: [string, string][] = [
      ['evm_mine', 'presage_mine'],
      ['hardhat_mine', 'presage_mine'],
      ['evm_increaseTime', 'presage_setTimeOffset'],
      ['evm_setNextBlockTimestamp', 'presage_setTimeOffset'],
      ['evm_snapshot', 'presage_reorg'],
      ['evm_revert', 'presage_reorg'],
      ['hardhat_impersonateAccount', 'presage_sendAs'],
      ['eth_sendTransaction', 'presage_sendAs'],
      ['hardhat_setBalance', 'presage_sendAs'],
      ['eth_signTransaction', 'eth_sendRawTransaction'],
    ];
    for (const [method, remedy] of cases) {
      const fault = await askForFault(chain.url, method, {});
      expect(fault.code).toBe(-32601);
      expect(fault.message).toContain(remedy);
    }
    expect((await readBlock(chain.url)).hash).toBe(before.hash);
  });

  it('answers logs of a range that ends far beyond the newest block at once', async () => {
    const { number } = await readBlock(chain.url);
    for (const toBlock of ['0x1fffffffffffff', `0x${'f'.repeat(64)}`]) {
      const [all, known] = await Promise.all([
        ask<unknown[]>(chain.url, 'eth_getLogs', { fromBlock: '0x0', toBlock }),
        ask<unknown[]>(chain.url, 'eth_getLogs', { fromBlock: 'earliest' }),
      ]);
      expect(all).toEqual(known);
      expect(await ask(chain.url, 'eth_getLogs', { fromBlock: `0x${(number + 1_000).toString(16)}`, toBlock })).toEqual(
        [],
      );
    }
  });

  it('refuses a block that is named by anything but a tag, a hexadecimal number or a hash', async () => {
    for (const block of ['5', 5, '', '0x', 'newest']) {
      expect((await askForFault(chain.url, 'eth_getBlockByNumber', block, false)).code).toBe(-32602);
      expect((await askForFault(chain.url, 'eth_getLogs', { fromBlock: block })).code).toBe(-32602);
      expect((await askForFault(chain.url, 'eth_getBalance', SOMEBODY, block)).code).toBe(-32602);
    }
  });

  it('takes a call whose data is named twice, as Foundry writes it, and refuses one with two data', async () => {
    // Returns 42.
    const code = '0x602a5f5260205ff3';
    const answer = `0x${'2a'.padStart(64, '0')}`;
    expect(await ask(chain.url, 'eth_call', { data: code, input: code.toUpperCase().replace('X', 'x') })).toBe(answer);
    expect(await ask(chain.url, 'eth_call', { data: null, input: code }, '0x0')).toBe(answer);
    expect(await ask(chain.url, 'debug_traceCall', { data: code, input: code }, 'latest', {})).toMatchObject({
      returnValue: answer,
    });
    expect(Number(await ask(chain.url, 'eth_estimateGas', { data: code, input: code }))).toBeGreaterThan(53_000);
    const fault = await askForFault(chain.url, 'eth_call', { data: code, input: '0x00' });
    expect(fault.message).toContain('both "data" and "input" are set and not equal');
  });

  it('gives a call no more gas than a transaction may have', async () => {
    // Returns the gas that is left.
    const readGas = (...params: unknown[]) =>
      ask(chain.url, 'eth_call', { data: '0x5a5f5260205ff3', gas: '0xffffffffffffffff' }, ...params);
    for (const left of [await readGas(), await readGas('0x0')]) expect(Number(left)).toBeLessThan(2 ** 24);
  });

  it('reports a revert with code 3 and its data, as geth does', async () => {
    const fault = await askForFault(chain.url, 'eth_call', { data: '0x600160005260206000fd' }, 'latest');
    expect(fault).toEqual({ code: 3, message: 'execution reverted', data: `0x${'1'.padStart(64, '0')}` });
    const estimate = await askForFault(chain.url, 'eth_estimateGas', { data: '0x600160005260206000fd' });
    expect(estimate.code).toBe(3);
  });

  it('keeps the base fee at zero through full blocks', async () => {
    // An invalid instruction: burns all the gas it is given.
    await ask(chain.url, 'presage_faults', { mining: 'held' });
    const burn = (nonce: number) => sendAs(chain.url, 'relayer', { nonce, data: '0xfe', gas: 15_000_000n });
    const [hash] = [await burn(0), await burn(1), await burn(2), await burn(3)];
    await ask(chain.url, 'presage_mine', 1);
    await ask(chain.url, 'presage_faults', { mining: 'auto' });
    expect(await ask(chain.url, 'eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x0' });
    await ask(chain.url, 'presage_mine', 3);
    const { number, baseFeePerGas } = await readBlock(chain.url);
    expect(baseFeePerGas).toBe('0x0');
    expect(Number((await readBlock(chain.url, number - 3)).gasUsed)).toBe(60_000_000);
  });

  it('publishes the keys of the test mnemonic under their roles', async () => {
    for (const [addressIndex, key] of sandboxKeys.entries()) {
      expect(mnemonicToAccount(SANDBOX_MNEMONIC, { addressIndex }).address).toBe(key.address);
      expect(privateKeyToAccount(key.privateKey).address).toBe(key.address);
    }
  });
});
