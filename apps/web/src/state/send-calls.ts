// Sends transactions through the person's own wallet, one after another, each when the one before is mined.
import type { Eip1193Provider, OracleCall } from '@presage/sdk';

const POLL_MS = 1_000;
/** A wallet may wait long for a block; after this the person is told to look there. */
const TIMEOUT_MS = 180_000;

export async function sendCalls(provider: Eip1193Provider, from: string, calls: readonly OracleCall[]): Promise<void> {
  for (const { to, data } of calls) {
    const hash = await provider.request({ method: 'eth_sendTransaction', params: [{ from, to, data }] });
    await isMined(provider, String(hash));
  }
}

async function isMined(provider: Eip1193Provider, hash: string): Promise<void> {
  const until = Date.now() + TIMEOUT_MS;
  while (Date.now() < until) {
    const receipt = await provider.request({ method: 'eth_getTransactionReceipt', params: [hash] });
    const status = (receipt as { status?: string } | null)?.status;
    if (status === '0x0') throw new Error('The oracle refused it. Look at the transaction in your wallet');
    if (status !== undefined) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error('It is not mined yet. Look at the transaction in your wallet');
}
