// Leaves the exchange without its service: needs only viem, a node of the chain and the addresses that docs/leaving.md names.
import {
  type Address,
  BaseError,
  ContractFunctionRevertedError,
  type Hex,
  InsufficientFundsError,
  parseAbi,
  parseSignature,
} from 'viem';
import { type Condition, readCondition } from './leaving/condition.ts';
import { type Decision, decideMarket } from './leaving/decide-market.ts';
import { findMarkets } from './leaving/find-markets.ts';
import { openSession, type Session } from './leaving/session.ts';

const SETTLEMENT = parseAbi([
  'function requestCancel(bytes32 marketId, uint64 nonce)',
  'function cancelEffectiveAfter(address trader, bytes32 marketId, uint64 nonce) view returns (uint64)',
  'function invalidateNonce()',
  'function haltTrading()',
  'function haltEffectiveAfter(address trader) view returns (uint64)',
  'function ledgerOf(address trader) view returns (uint256 balance, bool hasOptedIn)',
  'function withdrawDeposit(uint256 amount, address to)',
  'function tokenIdOf(bytes32 marketId, uint256 outcome) view returns (uint256)',
]);
const TOKENS = parseAbi([
  'function balanceOf(address owner, uint256 id) view returns (uint256)',
  'function payoutDenominator(bytes32 conditionId) view returns (uint256)',
  'function invalidateNonce()',
  'function setApprovalForAll(address operator, bool approved)',
  'function mergePositions(address collateral, bytes32 parent, bytes32 conditionId, uint256[] partition, uint256 amount)',
  'function redeemPositions(address collateral, bytes32 parent, bytes32 conditionId, uint256[] indexSets)',
]);
const STABLECOIN = parseAbi([
  'function name() view returns (string)',
  'function version() view returns (string)',
  'function nonces(address owner) view returns (uint256)',
  'function balanceOf(address owner) view returns (uint256)',
  'function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)',
  'function approve(address spender, uint256 amount) returns (bool)',
  'function transfer(address to, uint256 amount) returns (bool)',
]);
const PERMIT = [
  { name: 'owner', type: 'address' },
  { name: 'spender', type: 'address' },
  { name: 'value', type: 'uint256' },
  { name: 'nonce', type: 'uint256' },
  { name: 'deadline', type: 'uint256' },
] as const;
const TOP_LEVEL = `0x${'00'.repeat(32)}` as const;
const MAX_BOND = 1_000_000_000n;

export interface LeaveOptions {
  readonly rpcUrl: string;
  readonly privateKey: Hex;
  readonly chainId: number;
  readonly settlement: Address;
  readonly conditionalTokens: Address;
  readonly stablecoin: Address;
  /** Oracle that may take the bond of a dispute; without it nothing is disputed. */
  readonly oracle?: Address;
  /** Largest bond of one proposal or dispute, in units of the stablecoin; 1,000,000,000 by default. */
  readonly maxBond?: bigint | number | string;
  /** Largest gas cost of one transaction, in wei. */
  readonly maxGasCost?: bigint | number | string;
  /** Ids of the markets to leave; without them the markets are searched for on the chain. */
  readonly markets?: readonly Hex[];
  /** First block of the search for markets; 0 by default. */
  readonly fromBlock?: number | string;
  /** The owner's knowledge about undecided markets, by market id: see decide-market.ts. */
  readonly decisions?: Readonly<Record<Hex, Decision>>;
  /** Orders to cancel one by one; the halt stops all of them anyway. */
  readonly orders?: readonly { readonly marketId: Hex; readonly nonce: bigint | number | string }[];
  /** Address that receives the stablecoin at the end; without it the stablecoin stays in the wallet. */
  readonly withdrawTo?: Address;
}

/** Result of a run. `waiting` has one line for each market that could not be finished yet: run it again later. */
export interface Left {
  readonly withdrawn: bigint;
  readonly waiting: readonly string[];
}

export async function leave(options: LeaveOptions): Promise<Left> {
  const { settlement, conditionalTokens, stablecoin, oracle } = options;
  const contracts = [settlement, conditionalTokens, stablecoin, ...(oracle ? [oracle] : [])];
  const session = openSession({ ...options, contracts });
  for (const order of options.orders ?? []) await cancelOrder(session, options, order);
  await halt(session, options);
  await takeOutDeposit(session, options);
  const markets = options.markets ?? (await findMarkets(session, options));
  const waiting: string[] = [];
  for (const market of markets) {
    const condition = await readCondition(session, options.conditionalTokens, market);
    const reason = await decide(session, options, { market, condition });
    if (reason !== undefined) waiting.push(`${market}: ${reason}`);
    await takeOut(session, options, { market, condition });
  }
  await revoke(session, options);
  return { withdrawn: await withdraw(session, options), waiting };
}

async function cancelOrder(
  { reader, client, mined, wallet }: Session,
  { settlement: address }: LeaveOptions,
  order: NonNullable<LeaveOptions['orders']>[number],
): Promise<void> {
  const { marketId, nonce } = { ...order, nonce: BigInt(order.nonce) };
  const args = [wallet.address, marketId, nonce] as const;
  const after = await reader.readContract({ address, abi: SETTLEMENT, functionName: 'cancelEffectiveAfter', args });
  if (after > 0n) return;
  const request = { address, abi: SETTLEMENT, functionName: 'requestCancel', args: [marketId, nonce] } as const;
  await mined(client.writeContract({ ...request, chain: null }));
}

/** Halts trading. First invalidates all signatures not used yet: one that was held back could undo the halt. */
async function halt(session: Session, options: LeaveOptions): Promise<void> {
  const { reader, client, mined, wallet } = session;
  const { settlement: address, conditionalTokens } = options;
  const question = { address, abi: SETTLEMENT, functionName: 'haltEffectiveAfter', args: [wallet.address] } as const;
  if ((await reader.readContract(question)) > 0n) return;
  await mined(client.writeContract({ address, abi: SETTLEMENT, functionName: 'invalidateNonce', chain: null }));
  const tokens = { address: conditionalTokens, abi: TOKENS, functionName: 'invalidateNonce' } as const;
  await mined(client.writeContract({ ...tokens, chain: null }));
  await usePermitNonce(session, options);
  await mined(client.writeContract({ address, abi: SETTLEMENT, functionName: 'haltTrading', chain: null }));
}

/** Uses up the stablecoin's permit nonce with a permit of 0, since a stablecoin has no call to invalidate a nonce. */
async function usePermitNonce(session: Session, options: LeaveOptions): Promise<void> {
  const { reader, client, mined, wallet, chainId } = session;
  const { stablecoin: address, settlement: spender } = options;
  const coin = { address, abi: STABLECOIN } as const;
  const [name, version, nonce] = await Promise.all([
    reader.readContract({ ...coin, functionName: 'name' }),
    reader.readContract({ ...coin, functionName: 'version' }),
    reader.readContract({ ...coin, functionName: 'nonces', args: [wallet.address] }),
  ]);
  const { timestamp } = await reader.getBlock();
  const message = { owner: wallet.address, spender, value: 0n, nonce, deadline: timestamp + 3_600n };
  const domain = { name, version, chainId, verifyingContract: address };
  const signed = await wallet.signTypedData({ domain, types: { Permit: PERMIT }, primaryType: 'Permit', message });
  const { r, s, yParity } = parseSignature(signed);
  const args = [wallet.address, spender, 0n, message.deadline, 27 + yParity, r, s] as const;
  await mined(client.writeContract({ ...coin, functionName: 'permit', args, chain: null }));
}

/** Withdraws the deposit. Contracts before version 4 keep no deposits and revert on `ledgerOf`. */
async function takeOutDeposit({ reader, client, mined, wallet }: Session, options: LeaveOptions): Promise<void> {
  const contract = { address: options.settlement, abi: SETTLEMENT } as const;
  const question = { ...contract, functionName: 'ledgerOf', args: [wallet.address] } as const;
  const [balance] = await reader.readContract(question).catch((error: unknown) => {
    const isUnknown = error instanceof BaseError && error.walk((each) => each instanceof ContractFunctionRevertedError);
    if (isUnknown) return [0n] as const;
    throw error;
  });
  if (balance === 0n) return;
  const args = [balance, wallet.address] as const;
  await mined(client.writeContract({ ...contract, functionName: 'withdrawDeposit', args, chain: null }));
}

interface Held {
  readonly market: Hex;
  readonly condition: Condition;
}

/** Settles or voids an undecided market or event. The outcome of an event is proposed and disputed at its own contracts, not here. */
async function decide(session: Session, options: LeaveOptions, held: Held): Promise<string | undefined> {
  const { market, condition } = held;
  const { conditionalTokens, stablecoin, oracle, decisions } = options;
  if (await isDecided(session, options, condition)) return undefined;
  const known = decisions?.[market] ?? {};
  const decision = condition.isOfEvent ? {} : known;
  const fromBlock = BigInt(options.fromBlock ?? 0);
  const maxBond = BigInt(options.maxBond ?? MAX_BOND);
  const undecided = { conditionalTokens, stablecoin, oracle, maxBond, fromBlock, decision };
  const reason = await decideMarket(session, { marketId: condition.id, ...undecided });
  const isLeftOut = reason !== undefined && known.outcome !== decision.outcome;
  return isLeftOut ? `${reason}; of an event nothing is proposed or disputed here` : reason;
}

async function isDecided({ reader }: Session, options: LeaveOptions, { id }: Condition): Promise<boolean> {
  const question = { address: options.conditionalTokens, abi: TOKENS, functionName: 'payoutDenominator' } as const;
  return (await reader.readContract({ ...question, args: [id] })) > 0n;
}

/** Redeems the shares of a decided market; otherwise merges pairs of YES and NO, and keeps the rest. */
async function takeOut(session: Session, options: LeaveOptions, { market, condition }: Held): Promise<void> {
  const { reader, client, mined, wallet } = session;
  const { settlement, conditionalTokens: address, stablecoin } = options;
  const sharesOf = async (outcome: bigint) => {
    const args = [market, outcome] as const;
    const id = await reader.readContract({ address: settlement, abi: SETTLEMENT, functionName: 'tokenIdOf', args });
    return reader.readContract({ address, abi: TOKENS, functionName: 'balanceOf', args: [wallet.address, id] });
  };
  const [yes, no] = [await sharesOf(0n), await sharesOf(1n)];
  const what = [stablecoin, TOP_LEVEL, condition.id, condition.indexSets] as const;
  const pairs = yes < no ? yes : no;
  const tokens = { address, abi: TOKENS, chain: null } as const;
  if (yes + no > 0n && (await isDecided(session, options, condition))) {
    await mined(client.writeContract({ ...tokens, functionName: 'redeemPositions', args: what }));
  } else if (pairs > 0n) {
    await mined(client.writeContract({ ...tokens, functionName: 'mergePositions', args: [...what, pairs] }));
  }
}

async function revoke({ client, mined }: Session, options: LeaveOptions): Promise<void> {
  const { settlement, conditionalTokens, stablecoin } = options;
  for (const spender of [settlement, conditionalTokens]) {
    const request = { address: stablecoin, abi: STABLECOIN, functionName: 'approve', args: [spender, 0n] } as const;
    await mined(client.writeContract({ ...request, chain: null }));
  }
  const tokens = { address: conditionalTokens, abi: TOKENS, functionName: 'setApprovalForAll' } as const;
  await mined(client.writeContract({ ...tokens, args: [settlement, false], chain: null }));
}

async function withdraw({ reader, client, mined, wallet }: Session, options: LeaveOptions): Promise<bigint> {
  const { stablecoin: address, withdrawTo } = options;
  const question = { address, abi: STABLECOIN, functionName: 'balanceOf', args: [wallet.address] } as const;
  const balance = await reader.readContract(question);
  if (withdrawTo === undefined || balance === 0n) return 0n;
  const request = { address, abi: STABLECOIN, functionName: 'transfer', args: [withdrawTo, balance] } as const;
  await mined(client.writeContract({ ...request, chain: null }));
  return balance;
}

/** What went wrong and what to do, without the call's whole ABI. */
function explain(error: unknown): string {
  if (!(error instanceof BaseError)) return String(error);
  const lacksGas = error.walk((cause) => cause instanceof InsufficientFundsError) !== null;
  const remedy = lacksGas ? "Send the wallet some of the chain's coin for gas, then run" : 'Remove the cause, then run';
  return `${error.shortMessage}\n${error.details}\n${remedy} this script again: it continues where it stopped.`;
}

if (process.argv[1] !== undefined && import.meta.url.endsWith(process.argv[1].split('/').at(-1) ?? '-')) {
  const { PRESAGE_LEAVE: settings, PRESAGE_PRIVATE_KEY: privateKey } = process.env;
  if (settings === undefined || privateKey === undefined)
    throw new Error('Set PRESAGE_LEAVE and PRESAGE_PRIVATE_KEY as docs/leaving.md says.');
  try {
    console.log(await leave({ ...JSON.parse(settings), privateKey }));
  } catch (error) {
    console.error(explain(error));
    process.exitCode = 1;
  }
}
