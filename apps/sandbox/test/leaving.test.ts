// docs/leaving.md, tried: a chain, the contracts, a wallet, and no service anywhere.

import { createContracts, JsonRpc } from '@presage/chain';
import {
  conditionalTokensWithPermitAbi,
  eventFactoryAbi,
  marketAbi,
  marketFactoryAbi,
  optimisticOracleAbi,
  presageSettlementAbi,
  testStablecoinAbi,
} from '@presage/contracts';
import { keyOf } from '@presage/devchain';
import { keysOf, toOutcomeMarketId } from '@presage/protocol';
import { openChainProcess } from '@presage/testkit';
import {
  type Abi,
  type Address,
  createPublicClient,
  createWalletClient,
  encodeEventTopics,
  type Hex,
  http,
  maxUint256,
  padHex,
  toFunctionSelector,
  toHex,
  zeroHash,
} from 'viem';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type LeaveOptions, leave } from '../../../examples/typescript/leave.ts';
import { decideMarket } from '../../../examples/typescript/leaving/decide-market.ts';
import { openSession } from '../../../examples/typescript/leaving/session.ts';
import { deployContracts } from '../src/deployer/deploy-contracts.ts';
import { type Asked, type Lie, LyingNode } from './lying-node.ts';

const SHARES = 10_000_000n;
const MONEY = 1_000_000_000n;
const DAY = 86_400;
const owner = privateKeyToAccount(keyOf('owner').privateKey);

/** A chain with the contracts, and wallets with money and gas. */
async function openWorld() {
  const chain = await openChainProcess({ blockIntervalMs: 0, lingerMs: 0 });
  const rpc = new JsonRpc({ url: chain.url });
  onTestFinished(async () => {
    rpc.close();
    await chain.stop();
  });
  const deployment = await deployContracts({ rpcUrl: chain.url });
  const { settlement, conditionalTokens, stablecoin } = deployment;
  const transport = http(chain.url);
  const reader = createPublicClient({ transport, pollingInterval: 25 });
  const confirm = async (hash: Hex) =>
    expect((await reader.waitForTransactionReceipt({ hash })).status).toBe('success');
  const as = async (account: PrivateKeyAccount, address: Address, abi: Abi, functionName: string, args: unknown[]) =>
    confirm(
      await createWalletClient({ transport, account }).writeContract({ address, abi, functionName, args, chain: null }),
    );
  const newWallet = async () => {
    const privateKey = generatePrivateKey();
    const wallet = privateKeyToAccount(privateKey);
    const client = createWalletClient({ transport, account: owner });
    await confirm(await client.sendTransaction({ to: wallet.address, value: 10n ** 18n, chain: null }));
    await as(wallet, stablecoin, testStablecoinAbi, 'mint', [wallet.address, MONEY]);
    for (const spender of [conditionalTokens, settlement]) {
      await as(wallet, stablecoin, testStablecoinAbi, 'approve', [spender, maxUint256]);
    }
    return { privateKey, wallet };
  };
  const split = (wallet: PrivateKeyAccount, marketId: Hex) => {
    const args = [stablecoin, zeroHash, marketId, [1n, 2n], SHARES];
    return as(wallet, conditionalTokens, conditionalTokensWithPermitAbi, 'splitPosition', args);
  };
  let offset = 0;
  const later = async (seconds: number) => {
    offset += seconds;
    await rpc.request('presage_setTimeOffset', [offset]);
    await rpc.request('presage_mine', [1]);
  };
  const contracts = createContracts({ rpc, deployment });
  const { oracle } = deployment;
  const chainId = await reader.getChainId();
  const places = { rpcUrl: chain.url, chainId, settlement, conditionalTokens, stablecoin, oracle };
  return { deployment, contracts, reader, as, newWallet, split, later, places };
}

it('a wallet leaves with what is its own while the service is stopped: cancel, halt, merge, redeem, withdraw', async () => {
  const { deployment, contracts, as, newWallet, split, places } = await openWorld();
  const { settlement, conditionalTokens } = deployment;
  const { privateKey, wallet } = await newWallet();

  // Two conditions whose oracle is the owner: one that stays open, one that is decided.
  const tokens = conditionalTokensWithPermitAbi;
  const registrar = await contracts.settlement.read('REGISTRAR_ROLE', []);
  await as(owner, settlement, presageSettlementAbi, 'grantRole', [registrar, owner.address]);
  const marketIds: Hex[] = [];
  for (const questionId of [zeroHash, `0x${'01'.repeat(32)}`] as const) {
    await as(owner, conditionalTokens, tokens, 'prepareCondition', [owner.address, questionId, 2n]);
    const marketId = await contracts.conditionalTokens.read('getConditionId', [owner.address, questionId, 2n]);
    await as(owner, settlement, presageSettlementAbi, 'registerMarket', [marketId, 4_000_000_000n, 0, 0]);
    await split(wallet, marketId);
    marketIds.push(marketId);
  }
  await as(owner, conditionalTokens, tokens, 'reportPayouts', [`0x${'01'.repeat(32)}`, [1n, 0n]]);

  await as(wallet, settlement, presageSettlementAbi, 'depositCollateral', [MONEY / 2n]);
  const away = privateKeyToAccount(generatePrivateKey()).address;
  const nonces = async () => ({
    settlement: await contracts.settlement.read('nonces', [wallet.address]),
    tokens: await contracts.conditionalTokens.read('nonces', [wallet.address]),
    permits: await contracts.stablecoin.read('nonces', [wallet.address]),
  });
  const options = { ...places, privateKey, orders: [{ marketId: marketIds[0]!, nonce: 7n }], withdrawTo: away };
  const before = await nonces();
  expect(await leave(options)).toEqual({
    withdrawn: MONEY,
    waiting: [`${marketIds[0]}: an account decides it, and no contract`],
  });

  expect(await contracts.stablecoin.read('balanceOf', [away])).toBe(MONEY);
  expect(await contracts.settlement.read('ledgerOf', [wallet.address])).toEqual([0n, false]);
  expect(await contracts.stablecoin.read('allowance', [wallet.address, settlement])).toBe(0n);
  const cancelled = [wallet.address, marketIds[0]!, 7n] as const;
  expect(await contracts.settlement.read('cancelEffectiveAfter', cancelled)).toBeGreaterThan(0n);
  expect(await contracts.settlement.read('haltEffectiveAfter', [wallet.address])).toBeGreaterThan(0n);
  // Whatever was signed with these numbers and held back is worth nothing now.
  const after = await nonces();
  expect(after.settlement).toBeGreaterThan(before.settlement);
  expect(after.tokens).toBeGreaterThan(before.tokens);
  expect(after.permits).toBeGreaterThan(before.permits);
  // Once more does nothing that is done already.
  expect(await leave(options)).toEqual({ withdrawn: 0n, waiting: [] });
  expect(await nonces()).toEqual(after);
});

it('a wallet disputes a lie, proposes the truth and is paid, without the service', async () => {
  const { deployment, contracts, reader, as, newWallet, split, later, places } = await openWorld();
  const { marketFactory, conditionalTokens, oracle, stablecoin } = deployment;
  const [honest, liar] = [await newWallet(), await newWallet()];
  const { timestamp } = await reader.getBlock();
  const terms = ['Does truth win?', 'It does.', 'tests', timestamp + BigInt(DAY)] as const;
  const created = await contracts.marketFactory.read('predictMarket', [owner.address, ...terms]);
  await as(owner, marketFactory, marketFactoryAbi, 'createMarket', [...terms]);
  const [marketId, market] = created;
  await split(honest.wallet, marketId);
  const yes = await contracts.settlement.read('tokenIdOf', [marketId, 0n]);
  const no = await contracts.settlement.read('tokenIdOf', [marketId, 1n]);
  const send = [honest.wallet.address, liar.wallet.address, no, SHARES, '0x'];
  await as(honest.wallet, conditionalTokens, conditionalTokensWithPermitAbi, 'safeTransferFrom', send);

  const options: LeaveOptions = { ...places, privateKey: honest.privateKey, decisions: { [marketId]: { outcome: 0 } } };
  const { waiting } = await leave(options);
  expect(waiting).toEqual([expect.stringContaining(`${marketId}: it is open until`)]);

  await later(DAY);
  // The liar proposes NO, in the way a wallet without the service does.
  const undecided = { marketId, conditionalTokens, stablecoin, oracle, maxBond: MONEY, fromBlock: 0n };
  const session = openSession({
    ...places,
    privateKey: liar.privateKey,
    contracts: [conditionalTokens, stablecoin, oracle],
  });
  await decideMarket(session, { ...undecided, decision: { outcome: 1 } });
  const lie = await reader.readContract({ address: market, abi: marketAbi, functionName: 'resolution' });
  expect(lie).toMatchObject({ proposedOutcome: 1, proposer: liar.wallet.address });

  // The honest wallet disputes it and proposes the truth beside it.
  expect((await leave(options)).waiting).toEqual([expect.stringContaining('not decided yet')]);
  const question = { address: oracle, abi: optimisticOracleAbi, functionName: 'getAssertion' } as const;
  const asserted = await reader.readContract({ ...question, args: [lie.assertionId] });
  expect(asserted.disputer).toBe(honest.wallet.address);
  const truth = await reader.readContract({ address: market, abi: marketAbi, functionName: 'resolution' });
  expect(truth).toMatchObject({ proposedOutcome: 0, proposer: honest.wallet.address, disputed: false });

  // The truth stands before the arbitrator has come to the lie.
  await later(DAY);
  expect((await leave(options)).waiting).toEqual([]);
  const arbitrator = privateKeyToAccount(keyOf('arbitrator').privateKey);
  await as(arbitrator, oracle, optimisticOracleAbi, 'arbitrate', [lie.assertionId, false]);
  expect(await contracts.conditionalTokens.read('balanceOf', [honest.wallet.address, yes])).toBe(0n);
  const bond = await reader.readContract({ address: market, abi: marketAbi, functionName: 'bond' });
  // The shares are paid, both bonds came back, and the liar's with them.
  expect(await contracts.stablecoin.read('balanceOf', [honest.wallet.address])).toBe(MONEY + bond);
});

describe('a wallet with shares of an event', () => {
  /** The first of three outcomes with YES and NO, and YES alone of the second. */
  async function holdOutcomes() {
    const world = await openWorld();
    const { deployment, contracts, reader, as, newWallet } = world;
    const { conditionalTokens, stablecoin, eventFactory } = deployment;
    const { privateKey, wallet } = await newWallet();
    const { timestamp } = await reader.getBlock();
    const fees = { feeRateBps: 0, makerShareBps: 0 };
    const texts = { question: 'Who wins?', description: '', category: 'tests', names: ['Ada', 'Bob', 'Cy'] };
    const terms = { ...texts, expiration: timestamp + BigInt(DAY), early: false, ...fees };
    const factory = { address: eventFactory!, abi: eventFactoryAbi, account: owner.address } as const;
    const created = { ...factory, functionName: 'createEvent', args: [terms, 3n] } as const;
    const [eventId] = (await reader.simulateContract(created)).result;
    await as(owner, eventFactory!, eventFactoryAbi, 'createEvent', [terms, 3n]);
    const tokens = conditionalTokensWithPermitAbi;
    for (const parts of [
      [1n, 6n],
      [2n, 5n],
    ]) {
      await as(wallet, conditionalTokens, tokens, 'splitPosition', [stablecoin, zeroHash, eventId, parts, SHARES]);
    }
    const [first, second] = [toOutcomeMarketId(eventId, 0, 3), toOutcomeMarketId(eventId, 1, 3)];
    const no = await contracts.settlement.read('tokenIdOf', [second, 1n]);
    const away = privateKeyToAccount(generatePrivateKey()).address;
    await as(wallet, conditionalTokens, tokens, 'safeTransferFrom', [wallet.address, away, no, SHARES, '0x']);
    return { ...world, options: { ...world.places, privateKey, withdrawTo: away }, away, eventId, first, second };
  }

  it('merges pairs of an outcome while the event is open, and is paid when it is void', async () => {
    const { contracts, later, options, away, first, second } = await holdOutcomes();
    const { withdrawn, waiting } = await leave(options);
    expect(waiting).toEqual([first, second].map((id) => expect.stringContaining(`${id}: it is open until`)));
    // The pair is a dollar a share again; YES of the second outcome has no partner.
    expect(withdrawn).toBe(MONEY - SHARES);
    await later(32 * DAY);
    expect(await leave(options)).toEqual({ withdrawn: SHARES / 3n, waiting: [] });
    expect(await contracts.stablecoin.read('balanceOf', [away])).toBe(MONEY - SHARES + SHARES / 3n);
  });

  it('trusts no contract of another event that a node names', async () => {
    const { options, second, eventId } = await holdOutcomes();
    const other = padHex('0x5e', { size: 32 });
    const node = await LyingNode.open(options.rpcUrl, ({ method, params }, answer) => {
      const { data } = (params[0] ?? {}) as { data?: Hex };
      const isAsked = method === 'eth_call' && data?.startsWith(toFunctionSelector('marketOf(bytes32)'));
      return isAsked ? String(answer).replace(eventId.slice(2), other.slice(2)) : answer;
    });
    onTestFinished(() => node.close());
    await expect(leave({ ...options, rpcUrl: node.url, markets: [second] })).rejects.toThrow('not the event of');
  });
});

describe('a node that lies to a wallet that leaves', () => {
  const [thief] = [privateKeyToAccount(generatePrivateKey()).address];
  const word = (value: bigint | Hex) => padHex(typeof value === 'bigint' ? toHex(value) : value, { size: 32 });
  const isCallOf = (name: string, { method, params }: Asked) => {
    const { data } = (params[0] ?? {}) as { data?: Hex };
    return method === 'eth_call' && data?.startsWith(toFunctionSelector(name)) === true;
  };
  const lies: Readonly<Record<string, { readonly lie: Lie; readonly words: string }>> = {
    'names a contract of its own as the market': {
      lie: (asked, answer) => (asked.method === 'eth_getLogs' ? withOracle(answer, thief) : answer),
      words: 'its contract was not found',
    },
    'names itself as the oracle that takes the bond': {
      lie: (asked, answer) => (isCallOf('oracle()', asked) ? word(thief) : answer),
      words: 'as the oracle that takes the bond',
    },
    'names all that the wallet has as the bond': {
      lie: (asked, answer) => (isCallOf('bond()', asked) ? word(MONEY) : answer),
      words: 'the node names a bond of',
    },
    'says that it is another chain': {
      lie: ({ method }, answer) => (method === 'eth_chainId' ? '0x1' : answer),
      words: 'the node is of chain 1',
    },
    'asks for all the gas money': {
      lie: ({ method }, answer) => (method === 'eth_estimateGas' ? toHex(10n ** 15n) : answer),
      words: 'wei of gas in one transaction',
    },
    'tells of blocks without end': {
      lie: ({ method }, answer) => (method === 'eth_blockNumber' ? toHex(2n ** 60n) : answer),
      words: 'too many to search',
    },
  };

  it.each(keysOf(lies))('and %s gets nothing signed that would harm it', async (name) => {
    const { deployment, contracts, reader, as, newWallet, split, later, places } = await openWorld();
    const { privateKey, wallet } = await newWallet();
    const { timestamp } = await reader.getBlock();
    const terms = ['Does the node lie?', '', 'tests', timestamp + BigInt(DAY)] as const;
    const [marketId, market] = await contracts.marketFactory.read('predictMarket', [owner.address, ...terms]);
    await as(owner, deployment.marketFactory, marketFactoryAbi, 'createMarket', [...terms]);
    await split(wallet, marketId);
    await later(DAY);
    const lie = { marketId, ...deployment, maxBond: MONEY, fromBlock: 0n, decision: { outcome: 1 } as const };
    const liar = await newWallet();
    const { conditionalTokens, stablecoin, oracle } = deployment;
    const trusted = { contracts: [conditionalTokens, stablecoin, oracle] };
    await decideMarket(openSession({ ...places, privateKey: liar.privateKey, ...trusted }), lie);

    const { lie: tell, words } = lies[name]!;
    const node = await LyingNode.open(places.rpcUrl, tell);
    onTestFinished(() => node.close());
    const decisions = { [marketId]: { outcome: 0 as const } };
    const options = { ...places, rpcUrl: node.url, privateKey, decisions, maxBond: MONEY / 2n };
    const outcome = await leave(options).catch((error: Error) => ({ waiting: [error.message] }));
    expect(outcome.waiting.join()).toContain(words);
    for (const spender of [thief, ...(name.includes('bond') ? [oracle] : [])]) {
      expect(await contracts.stablecoin.read('allowance', [wallet.address, spender])).toBe(0n);
    }
    // The true bond of the dispute at most.
    const bond = await contracts.market(market).read('bond', []);
    const left = await contracts.stablecoin.read('balanceOf', [wallet.address]);
    expect(left).toBeGreaterThanOrEqual(MONEY - SHARES - bond);
    expect(await reader.getBalance({ address: wallet.address })).toBeGreaterThan(9n * 10n ** 17n);
  });
});

/** Logs of prepared conditions, with somebody else as the oracle. */
function withOracle(answer: unknown, oracle: Address): unknown {
  const prepared = encodeEventTopics({ abi: conditionalTokensWithPermitAbi, eventName: 'ConditionPreparation' })[0];
  // The node that is asked is ours: it answers logs.
  return (answer as { topics: Hex[] }[]).map((log) => {
    if (log.topics[0] !== prepared) return log;
    const [event, condition, , question] = log.topics;
    return { ...log, topics: [event, condition, padHex(oracle, { size: 32 }), question] };
  });
}
