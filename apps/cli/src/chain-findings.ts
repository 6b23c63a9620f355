// The doctor's checks of a chains file: fields, keys, nodes and contracts, as a live service checks them at its start.
import { readFile } from 'node:fs/promises';
import { isRpcFailure, JsonRpc } from '@presage/chain';
import {
  type ChainFault,
  findChainFaults,
  type ReadChainSettings,
  readChainsFile,
  readServiceKeys,
} from '@presage/chain/setup';
import type { Environment } from './key-files.ts';
import { plain } from './output.ts';

export interface Finding {
  readonly check: string;
  /** `odd` is worth a look, but not a fault. */
  readonly verdict: 'good' | 'odd' | 'bad';
  readonly detail: string;
  readonly remedy?: string;
}

const NODE_TIMEOUT_MS = 5_000;
const ANOTHER_NODE = 'Check it, or name another in rpcUrls.';

interface AnsweringNode {
  /** Host for messages: the whole URL may carry a key. */
  readonly host: string;
  readonly rpc: JsonRpc;
}

export async function* examineChainsFile(path: string, env: Environment): AsyncGenerator<Finding> {
  const text = await readFile(path, 'utf8').catch((error: Error) => error);
  if (text instanceof Error) {
    yield bad('chains', text.message, 'Name the file with --chains or PRESAGE_CHAINS.');
    return;
  }
  const { chains, faults } = readChainsFile(text);
  for (const fault of faults) yield bad('chains', plain(fault), 'docs/going-live.md describes every field.');
  if (faults.length === 0) yield { check: 'chains', verdict: 'good', detail: `${path} names ${chains.length}` };
  for (const chain of chains) yield* examineChain(chain, env);
}

async function* examineChain(chain: ReadChainSettings, env: Environment): AsyncGenerator<Finding> {
  const check = `chain ${chain.chainId}`;
  const { keys, refused, faults } = readServiceKeys(chain, { env, isLive: env.PRESAGE_PROFILE !== 'sandbox' });
  for (const { name, error } of refused) {
    const [detail = '', remedy = ''] = error.message.split('; ');
    yield bad(check, `${name}: ${detail}`, remedy);
  }
  for (const { detail, remedy } of faults) yield bad(check, detail, remedy);
  const node = yield* findNode(chain, check);
  if (keys === undefined || node === undefined) return;
  try {
    const found = await findChainFaults({ settings: chain, rpc: node.rpc, keys, nowSeconds });
    for (const fault of found) yield toFinding(check, node.host, fault);
    if (found.length === 0) yield { check, verdict: 'good', detail: `${plain(chain.name)} matches its settings` };
  } catch (error) {
    if (!isRpcFailure(error)) throw error;
    yield bad(check, `the node at ${node.host} stopped answering: ${error.message}`, ANOTHER_NODE);
  }
}

/** Returns the first usable node, and reports every node that is not usable. */
async function* findNode(
  { rpcUrls, chainId }: ReadChainSettings,
  check: string,
): AsyncGenerator<Finding, AnsweringNode | undefined> {
  let usable: AnsweringNode | undefined;
  for (const url of rpcUrls) {
    const rpc = new JsonRpc({ url, timeoutMs: NODE_TIMEOUT_MS });
    const answer = await rpc.request('eth_chainId').catch((error: Error) => error);
    const { host } = new URL(url);
    if (answer instanceof Error) {
      yield bad(
        check,
        `the node at ${host} does not answer: ${answer.message}`,
        'Start it, or correct its URL in rpcUrls.',
      );
    } else if (Number(answer) !== chainId) {
      const remedy = `Name a node of chain ${chainId} in rpcUrls.`;
      yield bad(check, `the node at ${host} serves chain ${Number(answer)}`, remedy);
    } else {
      usable ??= { host, rpc };
    }
  }
  return usable;
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1_000);
}

function toFinding(check: string, host: string, { detail, remedy }: ChainFault): Finding {
  return bad(check, `${plain(detail)} (node at ${host})`, remedy);
}

function bad(check: string, detail: string, remedy: string): Finding {
  return { check, verdict: 'bad', detail, remedy };
}
