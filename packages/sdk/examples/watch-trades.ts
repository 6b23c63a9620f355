// Watches the trades of a market and their settlement, and everything else with watchMarket.
import { createTradingClient } from '@presage/sdk';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

const url = process.env.PRESAGE_URL ?? 'http://127.0.0.1:8080';
const open = () => createTradingClient({ url, account: privateKeyToAccount(generatePrivateKey()) });
const [ann, ben] = [open(), open()];
const { markets } = await ann.listMarkets({ status: 'open', kind: 'standard' });
const marketId = markets[1]?.id ?? '';

// Once a watch is ready, no later event is missed.
const controller = new AbortController();
export const kinds = new Set<string>();
const market = ann.watchMarket(marketId, { signal: controller.signal });
const trades = ann.watchTrades(marketId);
await Promise.all([market.ready, trades.ready]);

export const stages: string[] = [];
const watching = (async () => {
  for await (const event of trades) {
    if (event.type !== 'gap') stages.push(event.data.stage);
    if (event.type !== 'gap' && event.data.stage === 'confirmed') break;
  }
})();
await ann.placeOrder({ marketId, side: 'sell', price: '0.5', size: '1' });
await ben.placeOrder({ marketId, side: 'buy', price: '0.5', size: '1' });
await watching;
for await (const { type } of market) if (kinds.add(type).has('trade_status')) break;
controller.abort();
console.log(stages.join(' -> '));
