// Compiled strictly and run in an empty project: two wallets trade, and the trade settles on chain.
import { ERRORS, formatMillionths, parseJson } from '@presage/protocol';
import { openSignerRecovery } from '@presage/protocol/signer';
import {
  type ApiErrorCode,
  createSandboxClient,
  createTradingClient,
  type Market,
  PresageApiError,
  type SettlementResult,
} from '@presage/sdk';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

const url = process.argv[2] ?? 'http://127.0.0.1:8080';
const newClient = () => createTradingClient({ url, account: privateKeyToAccount(generatePrivateKey()) });

const [ann, bob] = [newClient(), newClient()];
const market: Market = await createSandboxClient({ url }).createMarket({
  question: `Does it work on Node ${process.version}?`,
  expiresIn: 86_400,
});
await ann.placeOrder({ marketId: market.id, side: 'sell', outcome: 'YES', price: '0.55', size: '10' });
const order = await bob.placeOrder({ marketId: market.id, side: 'buy', outcome: 'YES', price: '0.55', size: '10' });
const result: SettlementResult = await order.waitForSettlement();

const refused: ApiErrorCode | 'none' = await bob
  .placeOrder({ marketId: `0x${'00'.repeat(32)}`, side: 'buy', price: '0.5', size: '1' })
  .then(() => 'none' as const)
  .catch((error: unknown) => {
    if (error instanceof PresageApiError) return error.code;
    throw error;
  });

let levels = -1;
for await (const event of ann.watchBook(market.id)) {
  if (event.type === 'gap') continue;
  levels = event.bids.length + event.asks.length;
  break;
}

const { kind } = await openSignerRecovery();
const says = {
  node: process.version,
  stages: result.settled.map(({ stage }) => stage),
  failed: result.failed.length,
  filled: formatMillionths(order.filledSize),
  refused,
  status: ERRORS.market_not_found.status,
  exact: String(parseJson('9007199254740993')),
  levels,
  signer: kind,
};
console.log(JSON.stringify(says));
