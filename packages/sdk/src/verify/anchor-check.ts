// Checks that the hashes anchored on chain match the journal that is published now.
import { type Hex, hashHeads, type SignedFrame } from '@presage/protocol/browser';
import type { ChainReads } from './chain-reads.ts';
import { Violation } from './checks/violation.ts';
import { topicOf } from './event-topic.ts';
import type { KnownFrame } from './journal-verifier.ts';

export interface AnchorList {
  readonly contract: string | null;
  readonly operator: string | null;
  /** Number of all anchors ever made; only the newest are listed. */
  readonly count: number;
  readonly anchors: readonly { readonly hash: Hex; readonly timeMs: number; readonly heads: readonly SignedFrame[] }[];
}

interface AnchorCheckOptions {
  readonly chain: ChainReads;
  /** The newest block when the list was read: it may lack an anchor of a later block. */
  readonly toBlock: number;
  readonly list: AnchorList;
  readonly journals: readonly CheckedJournal[];
}

interface CheckedJournal {
  readonly frames: ReadonlyMap<number, KnownFrame>;
  readonly partition: string;
  /** Sequence of the last published record. */
  readonly lastSeq: number;
}

const TOPIC = topicOf('Anchored(address,bytes32)');

/** Returns how many anchors on the chain match this history. Anchors that are not mined yet are skipped. */
export async function checkAnchors({ chain, toBlock, list, journals }: AnchorCheckOptions): Promise<number> {
  if (list.contract === null || list.operator === null) return 0;
  const opened = new Map<string, (typeof list.anchors)[number]>(list.anchors.map((anchor) => [anchor.hash, anchor]));
  // Number of oldest anchors that the list leaves out.
  let unlisted = list.count - list.anchors.length;
  let count = 0;
  const fromBlock = await chain.madeIn(list.contract, toBlock);
  for await (const log of chain.logs({ addresses: [list.contract], topics: [TOPIC], fromBlock, toBlock })) {
    if (!log.topics[1]?.toLowerCase().endsWith(list.operator.slice(2).toLowerCase())) continue;
    const anchor = opened.get(log.data.toLowerCase());
    if (anchor === undefined && unlisted-- > 0) continue;
    const where = `in transaction ${log.transactionHash}`;
    if (anchor === undefined || hashHeads(anchor.heads) !== anchor.hash) {
      throw new Violation('anchor_differs', `the operator anchored ${log.data} ${where}, and does not say what it was`);
    }
    const compared = journals.filter((journal) => isAnchored(anchor.heads, journal, where));
    if (compared.length > 0) count++;
  }
  return count;
}

/** Whether the anchor covers something published of a partition; throws if it contradicts that. */
function isAnchored(
  heads: readonly SignedFrame[],
  { frames, partition, lastSeq }: CheckedJournal,
  where: string,
): boolean {
  const head = heads.find((each) => each.partition === partition);
  if (head === undefined || head.lastSeq > lastSeq) return false;
  const known = frames.get(head.lastSeq)?.frameHash;
  if (known === head.frameHash) return true;
  const detail = `frame ${head.frameHash} was anchored ${where}, published is ${known ?? 'no frame that ends there'}`;
  throw new Violation('anchor_differs', detail, head.lastSeq);
}
