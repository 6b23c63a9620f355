// An external signer inside the test process, in Web3Signer's shape; it can be told to sign something else than it was asked.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PrivateKeyAccount } from 'viem/accounts';

/** One transaction, or an account and the text that it shall sign. */
type Params = readonly (Record<string, string> | string)[];
export type Answer = (method: string, params: Params) => Promise<unknown>;

/** Signs with this account, whomever it is asked for; `change` spoils a transaction. */
export function signAs(account: PrivateKeyAccount, change: object = {}): Answer {
  return async (method, params) => {
    if (method === 'eth_accounts') return [account.address.toLowerCase()];
    if (method === 'eth_signTypedData') return account.signTypedData(JSON.parse(String(params[1])) as never);
    const fields = params[0] as Record<string, string>;
    const number = (name: string) => Number(fields[name]);
    const wei = (name: string) => BigInt(fields[name] as string);
    return account.signTransaction({
      type: 'eip1559',
      chainId: number('chainId'),
      nonce: number('nonce'),
      to: fields.to as `0x${string}`,
      data: fields.data as `0x${string}`,
      value: wei('value'),
      gas: wei('gas'),
      maxFeePerGas: wei('maxFeePerGas'),
      maxPriorityFeePerGas: wei('maxPriorityFeePerGas'),
      ...change,
    });
  };
}

export async function openSigner(answer: Answer): Promise<{ readonly url: string; close(): void }> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString()) as {
      id: number;
      method: string;
      params: Params;
    };
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: await answer(method, params) }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}
