// Several nodes of one chain behind one interface: uses the first node that answers and agrees with the others, and the
// next one when it fails.
import { type Hex, isHex, isObject, toLowerHex } from '@presage/protocol';
import { parseIndex, toQuantity } from './quantity.ts';
import { type Rpc, type RpcCall, type RpcOutcome, RpcUnavailable } from './rpc.ts';

interface FailoverNode {
  /** For display: a host, never a URL, which may contain a key. */
  readonly label: string;
  readonly rpc: Rpc & { close(): void };
}

export interface FailoverRpcOptions {
  readonly nodes: readonly FailoverNode[];
  readonly chainId: number;
  /** Interval at which all nodes are asked for their heads. */
  readonly probeMs?: number;
  /** A node that lags further behind the best one is not used. */
  readonly maxLagBlocks?: number;
  /** Called when a node stops or resumes being used. */
  readonly onVerdict?: (label: string, verdict: NodeVerdict) => void;
}

const PROBE_MS = 5_000;
const MAX_LAG_BLOCKS = 5;

interface NodeState extends FailoverNode {
  verdict: NodeVerdict;
}

/** With a single node every call goes to that node. */
export class FailoverRpc implements Rpc {
  readonly #options: FailoverRpcOptions;
  readonly #nodes: readonly NodeState[];
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: FailoverRpcOptions) {
    this.#options = options;
    this.#nodes = options.nodes.map((node) => ({ ...node, verdict: 'good' }));
  }

  /** The verdict on each node, in configured order. */
  get verdicts(): readonly { readonly label: string; readonly verdict: NodeVerdict }[] {
    return this.#nodes.map(({ label, verdict }) => ({ label, verdict }));
  }

  async request(method: string, params: readonly unknown[] = []): Promise<unknown> {
    let failure: unknown;
    for (const node of this.#inOrder()) {
      try {
        return await node.rpc.request(method, params);
      } catch (error) {
        if (!this.#isNodeAtFault(node, error)) throw error;
        failure = error;
      }
    }
    throw failure;
  }

  /**
   * All outcomes come from one node, since the calls may belong together: a block, and the state at it. Repeating them
   * on another node is safe: everything is a read except raw transactions, which are the same bytes anywhere.
   */
  async batch(calls: readonly RpcCall[]): Promise<RpcOutcome[]> {
    let best: RpcOutcome[] | undefined;
    for (const node of this.#inOrder()) {
      const outcomes = await node.rpc.batch(calls);
      if (best === undefined || findUnanswered(outcomes).length < findUnanswered(best).length) best = outcomes;
      const [failure] = findUnanswered(outcomes);
      if (failure === undefined || !this.#isNodeAtFault(node, failure)) break;
    }
    return best ?? [];
  }

  start(): void {
    if (this.#nodes.length > 1 && !this.#closed) void this.#probeAndRepeat();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    for (const { rpc } of this.#nodes) rpc.close();
  }

  /** Asks every node for its head and judges them together; `start` repeats it. */
  async probe(): Promise<void> {
    const { chainId, maxLagBlocks = MAX_LAG_BLOCKS } = this.#options;
    const heads = await Promise.all(this.#nodes.map(({ rpc }) => readHead(rpc)));
    const known = heads.flatMap((head) => (head?.chainId === chainId ? [head.number] : []));
    const best = Math.max(...known);
    const common = Math.min(...known.filter((number) => best - number <= maxLagBlocks));
    const hashes = await Promise.all(
      this.#nodes.map(({ rpc }, index) => (heads[index] && known.length > 1 ? readHash(rpc, common) : undefined)),
    );
    const verdicts = judgeHeads({ heads, hashes, chainId, maxLagBlocks });
    if (this.#closed) return;
    for (const [index, node] of this.#nodes.entries()) this.#judge(node, verdicts[index]!);
  }

  async #probeAndRepeat(): Promise<void> {
    await this.probe();
    if (this.#closed) return;
    this.#timer = setTimeout(() => void this.#probeAndRepeat(), this.#options.probeMs ?? PROBE_MS).unref();
  }

  /** Good nodes in configured order, then the others, since a bad node may still be better than none. */
  #inOrder(): NodeState[] {
    // A node of another chain or of another history must never answer.
    const usable = this.#nodes.filter(({ verdict }) => verdict !== 'other-chain' && verdict !== 'disagrees');
    const isGood = ({ verdict }: NodeState) => verdict === 'good';
    const ordered = [...usable.filter(isGood), ...usable.filter((node) => !isGood(node))];
    if (ordered.length === 0) throw new RpcUnavailable('transport', 'no node of the chain can be believed');
    return ordered;
  }

  #isNodeAtFault(node: NodeState, error: unknown): boolean {
    if (!(error instanceof RpcUnavailable) || error.reason === 'closed') return false;
    if (this.#nodes.length > 1) this.#judge(node, 'unreachable');
    return true;
  }

  #judge(node: NodeState, verdict: NodeVerdict): void {
    if (node.verdict === verdict) return;
    node.verdict = verdict;
    this.#options.onVerdict?.(node.label, verdict);
  }
}

function findUnanswered(outcomes: readonly RpcOutcome[]): RpcUnavailable[] {
  return outcomes.flatMap((outcome) => (!outcome.ok && outcome.error instanceof RpcUnavailable ? [outcome.error] : []));
}

async function readHead(rpc: Rpc): Promise<HeadAnswer | undefined> {
  const [chain, block] = await rpc.batch([{ method: 'eth_chainId' }, { method: 'eth_blockNumber' }]);
  if (!chain?.ok || !block?.ok) return undefined;
  try {
    return { chainId: parseIndex(chain.result), number: parseIndex(block.result) };
  } catch {
    return undefined;
  }
}

async function readHash(rpc: Rpc, number: number): Promise<Hex | undefined> {
  const [block] = await rpc.batch([{ method: 'eth_getBlockByNumber', params: [toQuantity(number), false] }]);
  const { hash } = block?.ok && isObject(block.result) ? block.result : {};
  return isHex(hash) ? toLowerHex(hash) : undefined;
}

interface HeadAnswer {
  readonly chainId: number;
  readonly number: number;
}

/** `disagrees`: the node has another block than the majority at the same height. */
export type NodeVerdict = 'good' | 'behind' | 'unreachable' | 'other-chain' | 'disagrees';

export interface HeadsAsked {
  /** Heads in the order of the nodes; undefined if a node did not answer. */
  readonly heads: readonly (HeadAnswer | undefined)[];
  /** Hash that each node has for the highest block common to all nodes that do not lag. */
  readonly hashes: readonly (Hex | undefined)[];
  readonly chainId: number;
  readonly maxLagBlocks: number;
}

export function judgeHeads({ heads, hashes, chainId, maxLagBlocks }: HeadsAsked): NodeVerdict[] {
  const best = Math.max(...heads.map((head) => (head?.chainId === chainId ? head.number : -1)));
  const agreed = findAgreed(hashes.filter((_, index) => heads[index]?.chainId === chainId));
  return heads.map((head, index) => {
    if (head === undefined) return 'unreachable';
    if (head.chainId !== chainId) return 'other-chain';
    if (best - head.number > maxLagBlocks) return 'behind';
    const hash = hashes[index];
    return hash === undefined || agreed === undefined || hash === agreed ? 'good' : 'disagrees';
  });
}

/** The hash of the majority; in a tie, the hash of the node that was configured first. */
function findAgreed(hashes: readonly (Hex | undefined)[]): Hex | undefined {
  const counts = new Map<Hex, number>();
  for (const hash of hashes) if (hash !== undefined) counts.set(hash, (counts.get(hash) ?? 0) + 1);
  const most = Math.max(...counts.values());
  return [...counts].find(([, count]) => count === most)?.[0];
}
