// Uses the visitor's own wallet on a market's chain: sends transactions one after another, and reads who arbitrates.
import { isObject } from '@presage/protocol/browser';
import type { Eip1193Provider, OracleCall } from '@presage/sdk';
import { isRefusal } from '../state/failure.ts';

const POLL_MS = 1_000;
/** Longest wait for a transaction's block; after that the visitor is told to look in the wallet. */
const TIMEOUT_MS = 180_000;

export async function sendCalls(provider: Eip1193Provider, from: string, calls: readonly OracleCall[]): Promise<void> {
  for (const { chainId, to, data } of calls) {
    const sent = { from, to, data, chainId: toQuantity(chainId) };
    const hash = await provider.request({ method: 'eth_sendTransaction', params: [sent] });
    await isMined(provider, String(hash));
  }
}

/** Selector of `arbitrator()`. */
const ARBITRATOR = '0x6cc6cde1';

/** Address of the arbitrator of the call's oracle; undefined if voters decide, as at UMA. */
export async function readArbitrator(
  provider: Eip1193Provider,
  { chainId, to }: Pick<OracleCall, 'chainId' | 'to'>,
): Promise<string | undefined> {
  const asked = { to, data: ARBITRATOR, chainId: toQuantity(chainId) };
  const word = await provider.request({ method: 'eth_call', params: [asked, 'latest'] }).catch(unlessRefused);
  return /^0x0{24}[0-9a-f]{40}$/i.test(String(word)) ? `0x${String(word).slice(-40)}` : undefined;
}

function toQuantity(value: number): string {
  return `0x${value.toString(16)}`;
}

/** Treats a revert as no answer, since the contract may lack the function; passes on a refusal by the visitor. */
function unlessRefused(error: unknown): string {
  if (isRefusal(error)) throw error;
  return '0x';
}

async function isMined(provider: Eip1193Provider, hash: string): Promise<void> {
  const until = Date.now() + TIMEOUT_MS;
  while (Date.now() < until) {
    const receipt = await provider.request({ method: 'eth_getTransactionReceipt', params: [hash] });
    const status = isObject(receipt) ? receipt.status : undefined;
    if (status === '0x0') throw new Error('The oracle refused it. Look at the transaction in your wallet');
    if (status !== undefined) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error('It is not mined yet. Look at the transaction in your wallet');
}
