// Resolves an undecided market without the service: disputes false proposals, proposes the true outcome, settles, strikes or voids.
import {
  type Address,
  encodePacked,
  type Hex,
  isAddressEqual,
  keccak256,
  parseAbi,
  parseAbiItem,
  zeroAddress,
  zeroHash,
} from 'viem';
import { inPieces } from './find-markets.ts';
import type { Session } from './session.ts';

/** The owner's knowledge about a market. */
export interface Decision {
  /**
   * 0 is YES, 1 is NO, 2 is neither. This outcome is proposed, and proposals of other outcomes are disputed. Each takes a bond from
   * the wallet, which the oracle gives to the party that was right.
   */
  readonly outcome?: 0 | 1 | 2;
  /** Signed updates of the price oracle for the two boundaries of a quick market. */
  readonly startPrice?: readonly Hex[];
  readonly endPrice?: readonly Hex[];
  /** Instead of `endPrice`: the first update after a boundary, if there is none within a minute of it. */
  readonly noPrice?: readonly Hex[];
}

export interface Undecided {
  readonly marketId: Hex;
  readonly conditionalTokens: Address;
  readonly stablecoin: Address;
  /** Oracle that may take the bond of a dispute; undefined if nothing may be disputed. */
  readonly oracle: Address | undefined;
  /** Largest bond of one proposal or dispute. */
  readonly maxBond: bigint;
  readonly fromBlock: bigint;
  readonly decision: Decision;
}

const PREPARED = parseAbiItem(
  'event ConditionPreparation(bytes32 indexed conditionId, address indexed oracle, bytes32 indexed questionId, uint256 outcomeSlotCount)',
);
const MARKET = parseAbi([
  'struct Resolution { bytes32 assertionId; address proposer; uint32 round; uint8 proposedOutcome; bool disputed; bool resolved; }',
  'struct BondPayment { address payer; uint256 permitDeadline; uint8 v; bytes32 r; bytes32 s; }',
  'function expiration() view returns (uint64)',
  'function oracle() view returns (address)',
  'function bond() view returns (uint256)',
  'function nonces(address owner) view returns (uint256)',
  'function resolution() view returns (Resolution)',
  'function liveAssertion(uint8 outcome) view returns (bytes32)',
  'function proposeResolutionBySig(address proposer, uint8 outcome, uint256 deadline, bytes signature, BondPayment payment) returns (bytes32)',
  'function settle()',
  'function void()',
]);
const QUICK = parseAbi([
  'struct BoundaryPrice { int64 price; int32 expo; uint64 publishTime; }',
  'function priceOracle() view returns (address)',
  'function startPrice() view returns (BoundaryPrice)',
  'function strike(bytes[] updateData) payable',
  'function resolve(bytes[] updateData) payable',
  'function voidWithProof(bytes[] updateData) payable',
]);
const PRICE_ORACLE = parseAbi(['function getUpdateFee(bytes[] updateData) view returns (uint256)']);
const ORACLE = parseAbi([
  'struct Settings { bool arbitrates; bool discards; bool validates; address caller; address manager; }',
  'struct Assertion { Settings settings; address asserter; uint64 assertionTime; bool settled; address currency; uint64 expirationTime; bool settlementResolution; bytes32 domainId; bytes32 identifier; uint256 bond; address callbackRecipient; address disputer; }',
  'function getAssertion(bytes32 assertionId) view returns (Assertion)',
  'function disputeAssertion(bytes32 assertionId, address disputer)',
]);
const STABLECOIN = parseAbi(['function approve(address spender, uint256 amount) returns (bool)']);
const PROPOSAL = [
  { name: 'market', type: 'address' },
  { name: 'proposer', type: 'address' },
  { name: 'outcome', type: 'uint8' },
  { name: 'payer', type: 'address' },
  { name: 'bond', type: 'uint256' },
  { name: 'round', type: 'uint32' },
  { name: 'nonce', type: 'uint256' },
  { name: 'deadline', type: 'uint256' },
] as const;
const OUTCOMES = [0, 1, 2] as const;

/** Resolves to the reason why the market is not decided yet, or to undefined if it is. */
export async function decideMarket(session: Session, market: Undecided): Promise<string | undefined> {
  const address = await findContract(session, market);
  if (address === undefined) return 'its contract was not found: begin the search at an earlier block';
  if ((await session.reader.getCode({ address })) === undefined) return 'an account decides it, and no contract';
  session.trust(address);
  const start = await session.reader
    .readContract({ address, abi: QUICK, functionName: 'startPrice' })
    .catch(() => undefined);
  if (start === undefined) return decideByOracle(session, market, address);
  return decideByPrice(session, market.decision, { address, isStruck: start.publishTime > 0n });
}

/**
 * The oracle of a market's condition is the market contract itself. The condition's id is a hash of that address, so a node cannot
 * name another contract; what the node says about the contract may still be a lie.
 */
async function findContract(session: Session, market: Undecided): Promise<Address | undefined> {
  const { conditionalTokens: address, marketId: conditionId, fromBlock } = market;
  let found: Address | undefined;
  await inPieces(session, fromBlock, async (range) => {
    const logs = await session.reader.getLogs({
      address,
      event: PREPARED,
      args: { conditionId },
      strict: true,
      ...range,
    });
    found = logs.find(({ args }) => isProven(conditionId, args))?.args.oracle ?? found;
  });
  return found;
}

interface Prepared {
  readonly oracle: Address;
  readonly questionId: Hex;
  /** 2 for a market; an event has more. */
  readonly outcomeSlotCount: bigint;
}

function isProven(conditionId: Hex, { oracle, questionId, outcomeSlotCount }: Prepared): boolean {
  const parts = [oracle, questionId, outcomeSlotCount] as const;
  return keccak256(encodePacked(['address', 'bytes32', 'uint256'], parts)) === conditionId;
}

async function decideByPrice(
  session: Session,
  { startPrice, endPrice, noPrice }: Decision,
  { address, isStruck }: { readonly address: Address; readonly isStruck: boolean },
): Promise<string | undefined> {
  if (!isStruck && startPrice !== undefined) await sendPrice(session, address, 'strike', startPrice);
  if (noPrice !== undefined) await sendPrice(session, address, 'voidWithProof', noPrice);
  else if (endPrice !== undefined) await sendPrice(session, address, 'resolve', endPrice);
  else return tryVoid(session, address);
  return undefined;
}

async function sendPrice(
  { reader, client, mined }: Session,
  address: Address,
  functionName: 'strike' | 'resolve' | 'voidWithProof',
  updates: readonly Hex[],
): Promise<void> {
  const priceOracle = await reader.readContract({ address, abi: QUICK, functionName: 'priceOracle' });
  const question = { address: priceOracle, abi: PRICE_ORACLE, functionName: 'getUpdateFee', args: [updates] } as const;
  const value = await reader.readContract(question);
  await mined(client.writeContract({ address, abi: QUICK, functionName, args: [updates], value, chain: null }));
}

async function decideByOracle(session: Session, market: Undecided, address: Address): Promise<string | undefined> {
  const { reader } = session;
  const { timestamp } = await reader.getBlock();
  const expiration = await reader.readContract({ address, abi: MARKET, functionName: 'expiration' });
  if (timestamp < expiration) return `it is open until ${new Date(Number(expiration) * 1_000).toISOString()}`;
  // The oracle may also find the proposal false; then the market stays undecided.
  await trySend(session, address, 'settle');
  const { resolved } = await reader.readContract({ address, abi: MARKET, functionName: 'resolution' });
  if (resolved) return undefined;
  const { outcome } = market.decision;
  if (outcome !== undefined) await stand(session, { ...market, address, outcome });
  return tryVoid(session, address);
}

/** Sends the call unless the contract would revert; resolves to whether it was sent. */
async function trySend(session: Session, address: Address, functionName: 'settle' | 'void'): Promise<boolean> {
  const { reader, client, mined, wallet } = session;
  const call = { address, abi: MARKET, functionName } as const;
  const isPossible = await reader.simulateContract({ ...call, account: wallet.address }).then(
    () => true,
    () => false,
  );
  if (isPossible) await mined(client.writeContract({ ...call, chain: null }));
  return isPossible;
}

interface Claim extends Pick<Undecided, 'stablecoin' | 'oracle' | 'maxBond'> {
  readonly address: Address;
  readonly outcome: 0 | 1 | 2;
}

/** Disputes proposals of other outcomes while that is possible, and proposes its own outcome if the market allows another proposal. */
async function stand(session: Session, claim: Claim): Promise<void> {
  const live = await liveProposals(session, claim.address);
  for (const { outcome, assertionId } of live) {
    if (outcome !== claim.outcome) await dispute(session, claim, assertionId);
  }
  // A market without `liveAssertion` allows one proposal at a time.
  const isTaken = live.some(({ outcome, isAlone }) => isAlone || outcome === claim.outcome);
  if (!isTaken) await propose(session, claim);
}

interface LiveProposal {
  readonly outcome: number;
  readonly assertionId: Hex;
  /** True if the market allows no other proposal beside it. */
  readonly isAlone: boolean;
}

async function liveProposals({ reader }: Session, address: Address): Promise<LiveProposal[]> {
  const ofOutcome = async (outcome: 0 | 1 | 2) => {
    const question = { address, abi: MARKET, functionName: 'liveAssertion', args: [outcome] } as const;
    return { outcome, assertionId: await reader.readContract(question), isAlone: false };
  };
  const found = await Promise.all(OUTCOMES.map(ofOutcome)).catch(async () => {
    const only = await reader.readContract({ address, abi: MARKET, functionName: 'resolution' });
    return [{ outcome: only.proposedOutcome, assertionId: only.assertionId, isAlone: true }];
  });
  return found.filter(({ assertionId }) => assertionId !== zeroHash);
}

async function dispute(session: Session, claim: Claim, assertionId: Hex): Promise<void> {
  const { reader, client, mined, wallet } = session;
  const address = await reader.readContract({ address: claim.address, abi: MARKET, functionName: 'oracle' });
  if (claim.oracle === undefined || !isAddressEqual(address, claim.oracle))
    throw new Error(`the node names ${address} as the oracle that takes the bond: name it as oracle if that is right`);
  const question = { address, abi: ORACLE, functionName: 'getAssertion', args: [assertionId] } as const;
  const { disputer, expirationTime, bond } = await reader.readContract(question);
  const { timestamp } = await reader.getBlock();
  if (disputer !== zeroAddress || timestamp >= expirationTime) return;
  await allow(session, claim, { spender: address, bond });
  const args = [assertionId, wallet.address] as const;
  await mined(client.writeContract({ address, abi: ORACLE, functionName: 'disputeAssertion', args, chain: null }));
}

async function propose(session: Session, claim: Claim): Promise<void> {
  const { reader, client, mined, wallet, chainId } = session;
  const { address, outcome } = claim;
  const payer = wallet.address;
  const [bond, nonce, { round }, { timestamp }] = await Promise.all([
    reader.readContract({ address, abi: MARKET, functionName: 'bond' }),
    reader.readContract({ address, abi: MARKET, functionName: 'nonces', args: [payer] }),
    reader.readContract({ address, abi: MARKET, functionName: 'resolution' }),
    reader.getBlock(),
  ]);
  const { name, version } = (await reader.getEip712Domain({ address })).domain;
  const domain = { name, version, chainId, verifyingContract: address };
  const deadline = timestamp + 3_600n;
  const message = { market: address, proposer: payer, outcome, payer, bond, round: round + 1, nonce, deadline };
  const types = { ProposeResolution: PROPOSAL };
  const signature = await wallet.signTypedData({ domain, types, primaryType: 'ProposeResolution', message });
  await allow(session, claim, { spender: address, bond });
  const payment = { payer, permitDeadline: 0n, v: 0, r: zeroHash, s: zeroHash };
  const args = [payer, outcome, deadline, signature, payment] as const;
  const call = { address, abi: MARKET, functionName: 'proposeResolutionBySig', args } as const;
  await mined(client.writeContract({ ...call, chain: null }));
}

interface Bond {
  readonly spender: Address;
  readonly bond: bigint;
}

async function allow({ client, mined }: Session, claim: Claim, { spender, bond }: Bond): Promise<void> {
  const { stablecoin, maxBond } = claim;
  if (bond > maxBond) throw new Error(`the node names a bond of ${bond}, and maxBond is ${maxBond}`);
  const call = { address: stablecoin, abi: STABLECOIN, functionName: 'approve', args: [spender, bond] } as const;
  await mined(client.writeContract({ ...call, chain: null }));
}

async function tryVoid(session: Session, address: Address): Promise<string | undefined> {
  return (await trySend(session, address, 'void')) ? undefined : 'it is not decided yet: run this again later';
}
