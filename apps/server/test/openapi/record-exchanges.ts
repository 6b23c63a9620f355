// `npm run record:openapi`: one conversation with a fresh sandbox, written down as the examples of the OpenAPI document.
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { apiKeyMessagePrefix, MARKET_DOMAIN_NAME, OPERATION_TYPES, parseJson, stringifyJson } from '@presage/protocol';
import { refuseArguments } from '@presage/runtime/node';
import { openSandbox, TestClient, waitFor, walletOf } from '@presage/testkit';
import { type Hex, parseSignature, zeroAddress, zeroHash } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { createBearer } from './bearer.ts';
import type { RecordedExchange, Source } from './recorded-exchange.ts';

const FILE = fileURLToPath(new URL('../../src/api/openapi/exchanges.json', import.meta.url));
/** 2100: whatever is signed until then can be posted again as it is. */
const FAR = 4_102_444_800;
/** 2035, which is less than ten years ahead. */
const MARKET_END = 2_051_222_400;
/** Markets that are to expire do so in 2030; the conversation travels four years. Record anew before then. */
const EXPIRY = 1_893_456_000;
const FOUR_YEARS = 126_230_400;
const UNLIMITED = ((1n << 256n) - 1n).toString();
const [maker, taker, leaver] = [walletOf('recorded maker'), walletOf('recorded taker'), walletOf('recorded leaver')];

interface Domain {
  readonly name: string;
  readonly version: string;
  readonly address: Hex;
}

interface Chain {
  readonly chainId: number;
  readonly settlement: Domain;
  readonly conditionalTokens: Domain;
  readonly stablecoin: Domain;
  readonly bondAmount: string;
}

interface EventAnswer {
  readonly id: string;
  readonly outcomes: readonly { readonly index: number; readonly marketId: Hex }[];
}

interface MarketAnswer {
  readonly id: Hex;
  readonly contractAddress: Hex;
}

interface Asked {
  readonly body?: unknown;
  readonly hasToken?: true;
  readonly from?: readonly Source[];
  /** Asked again until it is so. */
  readonly until?: (answer: never) => boolean;
  readonly status?: number;
}

class Recorder {
  readonly exchanges: RecordedExchange[] = [];
  readonly #client: TestClient;
  #key: { readonly id: string; readonly privateKey: string } | undefined;

  constructor(client: TestClient) {
    this.#client = client;
  }

  async ask<T>(operation: string, request: string, asked: Asked = {}): Promise<T> {
    const [id = '', name = id] = operation.split(':');
    const [method = '', path = ''] = request.split(' ');
    const { body, hasToken, from, until = () => true, status = 200 } = asked;
    const answer = await waitFor(`${operation} answers as expected`, async () => {
      const text = body === undefined ? undefined : stringifyJson(body);
      const headers = {
        ...(text !== undefined && { 'content-type': 'application/json' }),
        ...(hasToken && { authorization: createBearer(this.#key!) }),
      };
      const got = await this.#client.send<never>(method, path, { headers, ...(text !== undefined && { text }) });
      if (got.status !== status) {
        if (method === 'GET' && got.status === 503) return undefined;
        throw new Error(`${operation}: ${got.status} ${stringifyJson(got.body)}`);
      }
      return until(got.body) ? { got: got.body } : undefined;
    });
    const given = { ...(body !== undefined && { body }), ...(hasToken && { hasToken }), ...(from && { from }) };
    this.exchanges.push({ id, name, method, path, ...given, status, answer: answer.got });
    return answer.got as T;
  }

  useKey(id: string, privateKey: string): void {
    this.#key = { id, privateKey };
  }
}

class Signer {
  readonly chain: Chain;
  readonly #client: TestClient;
  #nonce = 0n;

  constructor(client: TestClient, chain: Chain) {
    this.chain = chain;
    this.#client = client;
  }

  /** Nonces and expirations that are free on every fresh sandbox. */
  order(
    wallet: PrivateKeyAccount,
    market: Pick<MarketAnswer, 'id'>,
    terms: Pick<OrderParams, 'side' | 'price' | 'size'>,
  ) {
    this.#nonce += 1n;
    return this.#client.signOrder(wallet, { ...terms, market: market.id, nonce: this.#nonce, expiration: FAR });
  }

  async permit(wallet: PrivateKeyAccount, { address: spender } = this.chain.settlement): Promise<object> {
    const message = { owner: wallet.address, spender, value: UNLIMITED };
    return {
      ...this.#owned(wallet),
      spender,
      value: UNLIMITED,
      ...(await this.#sign(wallet, this.chain.stablecoin, 'Permit', message)),
    };
  }

  async approval(wallet: PrivateKeyAccount): Promise<object> {
    const operator = this.chain.settlement.address;
    const message = { owner: wallet.address, operator, approved: true };
    const signed = await this.#sign(wallet, this.chain.conditionalTokens, 'SetApprovalForAll', message);
    return { ...this.#owned(wallet), operator, approved: true, ...signed };
  }

  async amount(
    wallet: PrivateKeyAccount,
    type: 'SplitPosition' | 'MergePositions',
    { id }: Pick<MarketAnswer, 'id'>,
    amount: string,
  ) {
    const fields = { collateralToken: this.chain.stablecoin.address, conditionId: id, amount };
    const signed = await this.#sign(wallet, this.chain.conditionalTokens, type, { owner: wallet.address, ...fields });
    return { ...this.#owned(wallet), ...fields, ...signed };
  }

  async conversion(wallet: PrivateKeyAccount, eventId: string, indexes: readonly number[], amount: string) {
    const set = indexes.reduce((bits, index) => bits | (1n << BigInt(index)), 0n);
    const message = { owner: wallet.address, eventId, indexes: set, amount };
    const signed = await this.#sign(wallet, this.chain.conditionalTokens, 'ConvertPositions', message);
    return { ...this.#owned(wallet), eventId, indexes, amount, ...signed };
  }

  async redemption(wallet: PrivateKeyAccount, { id, contractAddress }: MarketAnswer) {
    const fields = {
      collateralToken: this.chain.stablecoin.address,
      parentCollectionId: zeroHash,
      conditionId: id,
      indexSets: ['1', '2'],
    };
    const signed = await this.#sign(wallet, this.chain.conditionalTokens, 'RedeemPositions', {
      owner: wallet.address,
      ...fields,
    });
    return { ...fields, marketAddress: contractAddress, ...signed };
  }

  async proposal(wallet: PrivateKeyAccount, { contractAddress }: MarketAnswer): Promise<object> {
    const message = {
      market: contractAddress,
      proposer: wallet.address,
      outcome: 0,
      payer: zeroAddress,
      bond: BigInt(this.chain.bondAmount),
      round: 1,
    };
    const signed = await this.#sign(wallet, marketDomain(contractAddress), 'ProposeResolution', message);
    return {
      chainId: this.chain.chainId,
      marketAddress: contractAddress,
      proposer: wallet.address,
      outcome: true,
      ...signed,
    };
  }

  async settling(wallet: PrivateKeyAccount, { contractAddress }: MarketAnswer): Promise<object> {
    const message = { market: contractAddress, settler: wallet.address, winningOutcome: 0 };
    const signed = await this.#sign(wallet, marketDomain(contractAddress), 'SettleMarket', message);
    const { chainId } = this.chain;
    return { chainId, marketAddress: contractAddress, settler: wallet.address, winningOutcome: 0, ...signed };
  }

  async cancel(wallet: PrivateKeyAccount, { id }: MarketAnswer, orderNonce: string): Promise<object> {
    const message = { trader: wallet.address, marketId: id, orderNonce: BigInt(orderNonce) };
    const signed = await this.#sign(wallet, this.chain.settlement, 'CancelOrder', message);
    return { ...this.#owned(wallet), marketId: id, orderNonce, ...signed };
  }

  async halt(wallet: PrivateKeyAccount, type: 'HaltTrading' | 'ResumeTrading'): Promise<object> {
    const signed = await this.#sign(wallet, this.chain.settlement, type, { trader: wallet.address });
    return { ...this.#owned(wallet), ...signed };
  }

  async deposit(wallet: PrivateKeyAccount, amount: string): Promise<object> {
    const fields = { trader: wallet.address, amount };
    return { ...this.#owned(wallet), amount, ...(await this.#sign(wallet, this.chain.settlement, 'Deposit', fields)) };
  }

  async withdrawal(wallet: PrivateKeyAccount, amount: string): Promise<object> {
    const to = wallet.address;
    const fields = { trader: to, amount, to };
    const signed = await this.#sign(wallet, this.chain.settlement, 'WithdrawDeposit', fields);
    return { ...this.#owned(wallet), amount, to, ...signed };
  }

  async invalidation(wallet: PrivateKeyAccount): Promise<object> {
    const domain = this.chain.conditionalTokens;
    const signed = await this.#sign(wallet, domain, 'InvalidateNonce', { owner: wallet.address });
    return { ...this.#owned(wallet), contract: domain.address, ...signed };
  }

  #owned({ address }: PrivateKeyAccount) {
    return { chainId: this.chain.chainId, owner: address };
  }

  async #sign(
    wallet: PrivateKeyAccount,
    { name, version, address }: Domain,
    primaryType: keyof typeof OPERATION_TYPES,
    message: object,
  ) {
    const { chainId } = this.chain;
    const { nonce } = await this.#client.read<{ nonce: number }>(
      `/api/v1/contracts/nonce/${address}/${wallet.address}?chain_id=${chainId}`,
    );
    const signature = await wallet.signTypedData({
      domain: { name, version, chainId, verifyingContract: address },
      types: OPERATION_TYPES,
      primaryType,
      message: { ...message, nonce: BigInt(nonce), deadline: BigInt(FAR) } as never,
    });
    const { r, s, yParity } = parseSignature(signature);
    return { deadline: String(FAR), v: 27 + yParity, r, s };
  }
}

type OrderParams = Parameters<TestClient['signOrder']>[1];

function marketDomain(address: Hex): Domain {
  return { name: MARKET_DOMAIN_NAME, version: '1', address };
}

async function converse(recorder: Recorder, client: TestClient): Promise<void> {
  const ask = recorder.ask.bind(recorder) as Recorder['ask'];
  const { chains } = await ask<{ chains: [Chain] }>('getConfig', 'GET /api/v1/config');
  const signer = new Signer(client, chains[0]);
  const { chainId, conditionalTokens } = chains[0];
  const at = `chain_id=${chainId}`;
  for (const [id, path] of [
    ['getTime', '/api/v1/time'],
    ['getStatus', '/api/v1/status'],
    ['listCategories', '/api/v1/categories'],
    ['getHealth', '/health'],
    ['getReadiness', '/ready'],
    ['getJournalHead', '/api/v1/journal/head'],
    ['listAnchors', '/api/v1/journal/anchors'],
    ['getJournal', '/api/v1/journal/m0?fromSeq=1&limit=1'],
  ]) {
    await ask(id!, `GET ${path}`);
  }
  await ask('getArchivedDay', 'GET /api/v1/archive/2026-01-31', { status: 404 });
  const newMarket = (name: string, question: string, expiration: number) =>
    ask<MarketAnswer>(`createSandboxMarket:${name}`, 'POST /sandbox/markets', {
      body: { question, description: 'Made for the examples.', category: 'general', expiration },
    });
  const market = await newMarket('market', 'Does this example hold?', MARKET_END);
  await ask('fundWallet:fundMaker', 'POST /sandbox/fund', { body: { address: maker.address, amount: 1_000_000_000 } });
  await ask('fundWallet:fundTaker', 'POST /sandbox/fund', { body: { address: taker.address, amount: '1000000000' } });
  await ask('relayPermit:permitOfMaker', 'POST /api/v1/relayer/stablecoin-permit', {
    body: await signer.permit(maker),
  });
  await ask('relayPermitBySymbol:permitOfTaker', 'POST /api/v1/relayer/usdc-permit', {
    body: await signer.permit(taker),
  });
  await ask('relayApproval:approvalOfMaker', 'POST /api/v1/relayer/ctf-approval', {
    body: await signer.approval(maker),
  });
  const { tx_hash } = await ask<{ tx_hash: string }>(
    'relayApproval:approvalOfTaker',
    'POST /api/v1/relayer/ctf-approval',
    {
      body: await signer.approval(taker),
    },
  );
  await ask('getRelayedTransaction', `GET /api/v1/relayer/transactions/${tx_hash}`, {
    from: [{ text: tx_hash, of: 'approvalOfTaker', at: '/tx_hash' }],
    until: ({ status }: { status: string }) => status === 'confirmed',
  });
  await ask('getContractNonce', `GET /api/v1/contracts/nonce/${conditionalTokens.address}/${taker.address}?${at}`);
  await ask('getBalances', `GET /api/v1/users/${maker.address}/balances?${at}&include=unsettled`, {
    until: ({ balance }: { balance: string }) => balance === '1000000000',
  });
  await ask('getApprovals', `GET /api/v1/users/${maker.address}/approvals?${at}`);

  const sale = await signer.order(maker, market, { side: 'sell', price: '0.55', size: '10' });
  await ask('validateOrder', 'POST /api/v1/orders/validate', { body: sale });
  const { orderHash } = await ask<{ orderHash: string }>('submitOrder:restingOrder', 'POST /api/v1/orders', {
    body: sale,
  });
  await ask('getOrder', `GET /api/v1/orders/${orderHash}`);
  await ask('listOpenOrders', `GET /api/v1/orders?trader=${maker.address}&market_id=${market.id}`);
  await ask('getOrderbook', `GET /api/v1/orderbook/${market.id}?outcome=0`);
  const purchase = await signer.order(taker, market, { side: 'buy', price: '0.60', size: '4' });
  await ask('submitOrder:matchingOrder', 'POST /api/v1/orders', { body: purchase });
  await ask('submitOrder:invalidSignature', 'POST /api/v1/orders', {
    body: { ...purchase, order: { ...purchase.order, size: 5_000_000 } },
    status: 400,
  });
  const { trades } = await ask<{ trades: { txHash: string }[] }>('listTrades', `GET /api/v1/trades/${market.id}`, {
    until: ({ trades: [trade] }: { trades: { stage?: string; status?: string }[] }) =>
      (trade?.stage ?? trade?.status) === 'confirmed',
  });
  const { txHash } = trades[0]!;
  await ask('getSettlement', `GET /api/v1/settlements/${txHash}`, {
    from: [{ text: txHash, of: 'listTrades', at: '/trades/0/txHash' }],
  });
  await ask('listPendingTrades', 'GET /api/v1/pending-trades');
  await ask('listFailedTrades', 'GET /api/v1/failed-trades');
  await ask('getOrderLife', `GET /api/v1/orders/${orderHash}/events`, {
    until: ({ events }: { events: { type: string }[] }) =>
      events.some(({ type }) => /confirm/.test(type)) || events.length >= 2,
  });
  await ask('getPosition', `GET /api/v1/positions/${market.id}?user=${taker.address}`);
  await ask('syncPosition', `POST /api/v1/positions/${market.id}/sync`, { body: { userAddress: taker.address } });
  const reads: readonly [string, string][] = [
    ['listPositions', `/api/v1/users/${taker.address}/positions?${at}`],
    ['listUserOrders', `/api/v1/users/${maker.address}/orders?${at}`],
    ['getUserActivity', `/api/v1/users/${taker.address}/activity?${at}`],
    ['getUserStatistics', `/api/v1/user-stats?address=${taker.address}&${at}`],
    ['getLeaderboard', '/api/v1/leaderboard?period=week'],
    ['getPnlHistory', `/api/v1/users/${taker.address}/pnl?${at}`],
    ['getMarket', `/api/v1/markets/${market.id}`],
    ['listMarkets', '/api/v1/markets?status=open&limit=2'],
    ['getMarketStatistics', `/api/v1/stats/${market.id}`],
    ['getHolders', `/api/v1/holders/${market.id}`],
    ['getMarketActivity', `/api/v1/activity/${market.id}`],
    ['getPlatformStatistics', '/api/v1/platform/stats'],
    ['getSolvency', '/api/v1/solvency'],
    ['getCandles', `/api/v1/candles/${market.id}`],
  ];
  for (const [id, path] of reads) await ask(id, `GET ${path}`);
  await ask('getMarket:noSuchMarket', `GET /api/v1/markets/${zeroHash}`, { status: 404 });

  const bids = await Promise.all(
    ['0.20', '0.21'].map((price) => signer.order(taker, market, { side: 'buy', price, size: '5' })),
  );
  const { results } = await ask<{ results: { orderHash: string }[] }>('submitOrders', 'POST /api/v1/orders/batch', {
    body: { orders: bids },
  });
  await ask('cancelOrder', `DELETE /api/v1/orders/${results[0]!.orderHash}?marketId=${market.id}`);
  await ask('setHeartbeat', 'POST /api/v1/orders/heartbeat', { body: { timeoutSeconds: 60, trader: taker.address } });
  await ask('cancelOrders', `DELETE /api/v1/orders?trader=${taker.address}&marketId=${market.id}`);

  await ask('relayPermit:permitForSplit', 'POST /api/v1/relayer/stablecoin-permit', {
    body: await signer.permit(taker, conditionalTokens),
  });
  await ask('relaySplit', 'POST /api/v1/relayer/split', {
    body: await signer.amount(taker, 'SplitPosition', market, '20000000'),
  });
  await ask('relayMerge', 'POST /api/v1/relayer/merge', {
    body: await signer.amount(taker, 'MergePositions', market, '5000000'),
  });

  const event = await ask<EventAnswer>('createSandboxEvent', 'POST /sandbox/events', {
    body: {
      question: 'Who wins the cup?',
      outcomes: ['Reds', 'Blues', 'Greens', 'None of them'],
      category: 'general',
      expiration: MARKET_END,
    },
  });
  await ask('listEvents', 'GET /api/v1/events?search=cup');
  await ask('getEvent', `GET /api/v1/events/${event.id}`);
  await ask('submitOrder:offerOfOutcome', 'POST /api/v1/orders', {
    body: await signer.order(maker, { id: event.outcomes[0]!.marketId }, { side: 'sell', price: '0.40', size: '10' }),
  });
  await ask('quoteEvent', `GET /api/v1/events/${event.id}/quote?index=0&size=2000000`);
  for (const { index, marketId } of event.outcomes.slice(0, 2)) {
    await ask(`relaySplit:splitOutcome${index}`, 'POST /api/v1/relayer/split', {
      body: await signer.amount(taker, 'SplitPosition', { id: marketId }, '2000000'),
    });
  }
  await ask('relayConversion', 'POST /api/v1/relayer/ctf-conversion', {
    body: await signer.conversion(taker, event.id, [0, 1], '2000000'),
  });

  await ask('relayDeposit', 'POST /api/v1/relayer/deposit', { body: await signer.deposit(taker, '5000000') });
  await ask('relayWithdrawal', 'POST /api/v1/relayer/withdrawal', { body: await signer.withdrawal(taker, '2000000') });
  await ask('relayCancel', 'POST /api/v1/relayer/cancel-order', { body: await signer.cancel(leaver, market, '7') });
  await ask('relayHalt', 'POST /api/v1/relayer/halt-trading', { body: await signer.halt(leaver, 'HaltTrading') });
  await ask('relayResumption', 'POST /api/v1/relayer/resume-trading', {
    body: await signer.halt(leaver, 'ResumeTrading'),
  });
  await ask('relayInvalidation', 'POST /api/v1/relayer/invalidate-nonce', { body: await signer.invalidation(leaver) });

  await ask('pinPrice', 'POST /sandbox/price', { body: { asset: 'BTC', priceUSD: 65_000 } });
  await ask('getPrice', 'GET /api/v1/quick-markets/BTC/price');
  await ask('getPriceHistory', 'GET /api/v1/quick-markets/BTC/price-history');
  await ask('getQuickMarket', 'GET /api/v1/quick-markets/BTC?interval=15', {
    until: ({ active }: { active: boolean }) => active,
  });
  await ask('listQuickMarkets', 'GET /api/v1/quick-markets/BTC/history');
  await ask('setFaults', 'POST /sandbox/faults', { body: { chain: 'up', settlement: 'normal' } });
  await ask('getSandboxOperatorKey', 'POST /sandbox/operator-key', { body: {} });
  await ask('switchMaker', 'POST /sandbox/maker', { body: { running: false } });

  const signature = await maker.signMessage({ message: `${apiKeyMessagePrefix('Presage')}${maker.address}` });
  const key = await ask<{ api_key_id: string; api_private_key: string }>('registerApiKey', 'POST /api/v1/api-keys', {
    body: { address: maker.address, signature, name: 'example' },
  });
  recorder.useKey(key.api_key_id, key.api_private_key);
  await ask('listApiKeys', 'POST /api/v1/api-keys/list', { hasToken: true });
  await ask('revokeApiKey', `DELETE /api/v1/api-keys/${key.api_key_id}`, {
    hasToken: true,
    from: [{ text: key.api_key_id, of: 'registerApiKey', at: '/api_key_id' }],
  });

  const disputed = await newMarket('disputedMarket', 'Is this disputed?', EXPIRY);
  const settled = await newMarket('undisputedMarket', 'Is this undisputed?', EXPIRY);
  await ask('relaySplit:splitDisputed', 'POST /api/v1/relayer/split', {
    body: await signer.amount(taker, 'SplitPosition', disputed, '3000000'),
  });
  await ask('relaySplit:splitUndisputed', 'POST /api/v1/relayer/split', {
    body: await signer.amount(taker, 'SplitPosition', settled, '2000000'),
  });
  await ask('travelInTime:pastExpiration', 'POST /sandbox/time', { body: { advanceSeconds: FOUR_YEARS } });
  await ask('relayProposal:proposeDisputed', 'POST /api/v1/relayer/propose-resolution', {
    body: await signer.proposal(maker, disputed),
  });
  await ask('relayProposal:proposeUndisputed', 'POST /api/v1/relayer/propose-resolution', {
    body: await signer.proposal(maker, settled),
  });
  const isStage =
    (wanted: string) =>
    ({ status }: { status: string }) =>
      status === wanted;
  await ask('getResolution', `GET /api/v1/resolution/${disputed.id}`, { until: isStage('proposed') });
  await ask('disputeProposal', 'POST /sandbox/dispute', { body: { marketId: disputed.id } });
  await ask('decideDispute', 'POST /sandbox/arbitrate', { body: { marketId: disputed.id, truthful: true } });
  await ask('getResolution:proposedUndisputed', `GET /api/v1/resolution/${settled.id}`, { until: isStage('proposed') });
  await ask('travelInTime:pastDisputeWindow', 'POST /sandbox/time', { body: { advanceSeconds: 10_800 } });
  await ask('relaySettling', 'POST /api/v1/relayer/settle-market', { body: await signer.settling(maker, settled) });
  for (const each of [disputed, settled]) {
    await ask(
      `getResolution:resolved${each === settled ? 'Undisputed' : 'Disputed'}`,
      `GET /api/v1/resolution/${each.id}`,
      { until: isStage('resolved') },
    );
  }
  await ask('listClaimable', `GET /api/v1/users/${taker.address}/claimable?${at}`, {
    until: ({ claimable }: { claimable: unknown[] }) => claimable.length === 2,
  });
  await ask('getClaimData', `GET /api/v1/users/${taker.address}/claim-data?${at}&markets=${disputed.id}`);
  await ask('relayRedemption', 'POST /api/v1/relayer/ctf-redemption', {
    body: { chainId, owner: taker.address, ...(await signer.redemption(taker, disputed)) },
  });
  await ask('relayRedemptions', 'POST /api/v1/relayer/batch-ctf-redemption', {
    body: { chainId, owner: taker.address, redemptions: [await signer.redemption(taker, settled)] },
  });
  await ask('listPendingClaims', 'GET /api/v1/pending-claims', {
    until: ({ count }: { count: number }) => count === 0,
  });
  await ask('listFailedClaims', 'GET /api/v1/failed-claims');
}

// `--help` must not overwrite the examples.
refuseArguments();
// The keeper would settle and void what the conversation settles itself.
const sandbox = await openSandbox({ isNew: true, env: { PRESAGE_KEEPER: 'off' } });
try {
  const recorder = new Recorder(await TestClient.open(sandbox.url));
  await converse(recorder, await TestClient.open(sandbox.url)).catch((error) => {
    console.error(stringifyJson(recorder.exchanges.at(-1)));
    throw error;
  });
  await writeFile(FILE, `${JSON.stringify(parseJson(stringifyJson(recorder.exchanges)), exactly, 2)}\n`);
  console.log(`${recorder.exchanges.length} exchanges recorded`);
} finally {
  await sandbox.discard();
}

/** Integers past 2^53 stand in the file as decimal strings, which the service takes as well. */
function exactly(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}
