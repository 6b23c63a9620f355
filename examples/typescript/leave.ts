// Leaves the exchange without its service: nothing but viem, a node of the chain and the addresses of docs/leaving.md.
import {
  type Address,
  createPublicClient,
  createWalletClient,
  encodeFunctionData,
  type Hex,
  http,
  type PublicClient,
  parseAbi,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';

const SETTLEMENT = parseAbi([
  'function requestCancel(bytes32 marketId, uint64 nonce)',
  'function cancelEffectiveAfter(address trader, bytes32 marketId, uint64 nonce) view returns (uint64)',
  'function haltTrading()',
  'function haltEffectiveAfter(address trader) view returns (uint64)',
  'function tokenIdOf(bytes32 marketId, uint256 outcome) view returns (uint256)',
]);
const TOKENS = parseAbi([
  'function balanceOf(address owner, uint256 id) view returns (uint256)',
  'function payoutDenominator(bytes32 conditionId) view returns (uint256)',
  'function setApprovalForAll(address operator, bool approved)',
  'function mergePositions(address collateral, bytes32 parent, bytes32 conditionId, uint256[] partition, uint256 amount)',
  'function redeemPositions(address collateral, bytes32 parent, bytes32 conditionId, uint256[] indexSets)',
]);
const STABLECOIN = parseAbi([
  'function balanceOf(address owner) view returns (uint256)',
  'function approve(address spender, uint256 amount) returns (bool)',
  'function transfer(address to, uint256 amount) returns (bool)',
]);
const TOP_LEVEL = `0x${'00'.repeat(32)}` as const;
/** YES and NO. */
const BOTH = [1n, 2n] as const;

export interface LeaveOptions {
  readonly rpcUrl: string;
  readonly privateKey: Hex;
  readonly settlement: Address;
  readonly conditionalTokens: Address;
  readonly stablecoin: Address;
  /** Markets in which the wallet may hold shares: their ids. */
  readonly markets: readonly Hex[];
  /** Orders to take back one by one; a halt stops them all. */
  readonly orders?: readonly { readonly marketId: Hex; readonly nonce: bigint }[];
  /** Where the stablecoin goes in the end; it stays in the wallet without it. */
  readonly withdrawTo?: Address;
}

interface Session {
  readonly reader: PublicClient;
  readonly send: (to: Address, data: Hex) => Promise<void>;
  readonly wallet: Address;
}

/** Every step is done once: running it again does what is left. */
export async function leave(options: LeaveOptions): Promise<{ readonly withdrawn: bigint }> {
  const session = openSession(options);
  for (const order of options.orders ?? []) await cancelOrder(session, options, order);
  await halt(session, options);
  for (const market of options.markets) await takeOut(session, options, market);
  await revoke(session, options);
  return { withdrawn: await withdraw(session, options) };
}

function openSession({ rpcUrl, privateKey }: LeaveOptions): Session {
  const account = privateKeyToAccount(privateKey);
  const transport = http(rpcUrl);
  const reader = createPublicClient({ transport, pollingInterval: 500 });
  const client = createWalletClient({ transport, account });
  const send: Session['send'] = async (to, data) => {
    const hash = await client.sendTransaction({ to, data, account, chain: null });
    const { status } = await reader.waitForTransactionReceipt({ hash });
    if (status !== 'success') throw new Error(`transaction ${hash} failed`);
  };
  return { reader, send, wallet: account.address };
}

async function cancelOrder(
  { reader, send, wallet }: Session,
  { settlement: address }: LeaveOptions,
  { marketId, nonce }: { readonly marketId: Hex; readonly nonce: bigint },
): Promise<void> {
  const args = [wallet, marketId, nonce] as const;
  const after = await reader.readContract({ address, abi: SETTLEMENT, functionName: 'cancelEffectiveAfter', args });
  if (after > 0n) return;
  await send(address, encodeFunctionData({ abi: SETTLEMENT, functionName: 'requestCancel', args: [marketId, nonce] }));
}

async function halt({ reader, send, wallet }: Session, { settlement: address }: LeaveOptions): Promise<void> {
  const question = { address, abi: SETTLEMENT, functionName: 'haltEffectiveAfter', args: [wallet] } as const;
  if ((await reader.readContract(question)) > 0n) return;
  await send(address, encodeFunctionData({ abi: SETTLEMENT, functionName: 'haltTrading' }));
}

/** Redeems where the market is decided; else merges pairs of YES and NO, and keeps what has no partner. */
async function takeOut({ reader, send, wallet }: Session, options: LeaveOptions, marketId: Hex): Promise<void> {
  const { settlement, conditionalTokens: address, stablecoin } = options;
  const sharesOf = async (outcome: bigint) => {
    const args = [marketId, outcome] as const;
    const id = await reader.readContract({ address: settlement, abi: SETTLEMENT, functionName: 'tokenIdOf', args });
    return reader.readContract({ address, abi: TOKENS, functionName: 'balanceOf', args: [wallet, id] });
  };
  const [yes, no] = [await sharesOf(0n), await sharesOf(1n)];
  const question = { address, abi: TOKENS, functionName: 'payoutDenominator', args: [marketId] } as const;
  const isDecided = (await reader.readContract(question)) > 0n;
  const what = [stablecoin, TOP_LEVEL, marketId, BOTH] as const;
  const pairs = yes < no ? yes : no;
  if (isDecided && yes + no > 0n) {
    await send(address, encodeFunctionData({ abi: TOKENS, functionName: 'redeemPositions', args: what }));
  } else if (pairs > 0n) {
    await send(address, encodeFunctionData({ abi: TOKENS, functionName: 'mergePositions', args: [...what, pairs] }));
  }
}

async function revoke({ send }: Session, { settlement, conditionalTokens, stablecoin }: LeaveOptions): Promise<void> {
  for (const spender of [settlement, conditionalTokens]) {
    await send(stablecoin, encodeFunctionData({ abi: STABLECOIN, functionName: 'approve', args: [spender, 0n] }));
  }
  const args = [settlement, false] as const;
  await send(conditionalTokens, encodeFunctionData({ abi: TOKENS, functionName: 'setApprovalForAll', args }));
}

async function withdraw({ reader, send, wallet }: Session, { stablecoin, withdrawTo }: LeaveOptions): Promise<bigint> {
  const question = { address: stablecoin, abi: STABLECOIN, functionName: 'balanceOf', args: [wallet] } as const;
  const balance = await reader.readContract(question);
  if (withdrawTo === undefined || balance === 0n) return 0n;
  const args = [withdrawTo, balance] as const;
  await send(stablecoin, encodeFunctionData({ abi: STABLECOIN, functionName: 'transfer', args }));
  return balance;
}

if (process.argv[1] !== undefined && import.meta.url.endsWith(process.argv[1].split('/').at(-1) ?? '-')) {
  const { PRESAGE_LEAVE: settings = '{}', PRESAGE_PRIVATE_KEY: privateKey } = process.env;
  console.log(await leave({ ...JSON.parse(settings), privateKey }));
}
