// Reads everything public about a wallet: orders, positions, money, history.
import { createTradingClient } from '@presage/sdk';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

const url = process.env.PRESAGE_URL ?? 'http://127.0.0.1:8080';
const client = createTradingClient({ url, account: privateKeyToAccount(generatePrivateKey()) });
const { chains } = await client.getConfig();
const onChain = { chain_id: chains[0]?.chainId ?? 0 };
const { markets } = await client.listMarkets({ status: 'open', kind: 'standard' });
const marketId = markets[0]?.id ?? '';
const { orderHash } = await client.placeOrder({ marketId, side: 'buy', price: '0.01', size: '3' });

export const { orders } = await client.listOrders(client.address, { market: marketId });
export const { count } = await client.listUserOrders(client.address, onChain);
export const order = await client.getOrder(orderHash);
export const { events } = await client.getOrderEvents(orderHash);
export const position = await client.getPosition(marketId, client.address);
export const { positions } = await client.listPositions(client.address, onChain);
export const held = await client.positions();
export const balances = await client.getBalances(client.address, onChain);
export const { activity } = await client.getUserActivity(client.address, { ...onChain, limit: 20 });
export const statistics = await client.getUserStatistics(client.address);
export const { leaders } = await client.getLeaderboard({ period: 'week', sort: 'profit', limit: 10 });
export const { points } = await client.getPnlHistory(client.address, { ...onChain, interval: '1w' });

console.log(`${orders.length} open orders, ${positions.length} positions, ${balances.available} units free`);
await client.cancelAll();
