// Finds the markets in which a wallet holds shares, from the chain alone: transfers to the wallet, and the settlement contract's register.
import { type Address, type Hex, parseAbi, parseAbiItem } from 'viem';
import type { Session } from './session.ts';

const RECEIVED = parseAbiItem(
  'event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)',
);
const RECEIVED_SEVERAL = parseAbiItem(
  'event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)',
);
const REGISTERED = parseAbiItem(
  'event MarketRegistered(bytes32 indexed marketId, uint256 yesTokenId, uint256 noTokenId)',
);
const BALANCE = parseAbi(['function balanceOf(address owner, uint256 id) view returns (uint256)']);
/** Most blocks in one search; many nodes refuse more. A refused range is halved. */
const BLOCKS_AT_ONCE = 10_000n;
/** Bounds on the search: a node that exceeds them is lying, or the search must begin at a later block. */
const MAX_TOKENS = 10_000;
const MAX_SEARCHES = 20_000;

export interface Places {
  readonly settlement: Address;
  readonly conditionalTokens: Address;
  readonly fromBlock?: number | string;
}

export async function findMarkets(session: Session, places: Places): Promise<Hex[]> {
  const { reader, wallet } = session;
  const { settlement, conditionalTokens: address } = places;
  const fromBlock = BigInt(places.fromBlock ?? 0);
  const to = wallet.address;
  const received = new Set<bigint>();
  await inPieces(session, fromBlock, async (range) => {
    const single = await reader.getLogs({ address, event: RECEIVED, args: { to }, strict: true, ...range });
    const several = await reader.getLogs({ address, event: RECEIVED_SEVERAL, args: { to }, strict: true, ...range });
    for (const { args } of single) received.add(args.id);
    for (const { args } of several) for (const id of args.ids) received.add(id);
    if (received.size > MAX_TOKENS)
      throw new EndlessSearch(`the node tells of more than ${MAX_TOKENS} kinds of shares`);
  });
  const held = new Set<bigint>();
  for (const id of received) {
    const question = { address, abi: BALANCE, functionName: 'balanceOf', args: [to, id] } as const;
    if ((await reader.readContract(question)) > 0n) held.add(id);
  }
  const markets: Hex[] = [];
  await inPieces(session, fromBlock, async (range) => {
    for (const { args } of await reader.getLogs({ address: settlement, event: REGISTERED, strict: true, ...range })) {
      if (held.has(args.yesTokenId) || held.has(args.noTokenId)) markets.push(args.marketId);
    }
  });
  return markets;
}

class EndlessSearch extends Error {
  constructor(what: string) {
    super(`${what}: give a later fromBlock, or ask another node`);
  }
}

interface BlockRange {
  readonly fromBlock: bigint;
  readonly toBlock: bigint;
}

/** Searches all blocks from `fromBlock` to the newest, one range after another. */
export async function inPieces(
  { reader }: Session,
  fromBlock: bigint,
  search: (range: BlockRange) => Promise<void>,
): Promise<void> {
  const last = await reader.getBlockNumber();
  let step = BLOCKS_AT_ONCE;
  let searches = 0;
  for (let first = fromBlock; first <= last; ) {
    const end = first + step - 1n;
    if (++searches > MAX_SEARCHES || (last - first) / step > MAX_SEARCHES)
      throw new EndlessSearch(`the node tells of blocks up to ${last}, too many to search from ${fromBlock} on`);
    try {
      await search({ fromBlock: first, toBlock: end < last ? end : last });
      first = end + 1n;
    } catch (error) {
      if (step === 1n || error instanceof EndlessSearch) throw error;
      step /= 2n;
    }
  }
}
