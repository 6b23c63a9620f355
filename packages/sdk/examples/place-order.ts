// Sells to one wallet and buys with another, and waits until the trade is settled on the chain.
import { createTradingClient, formatAmount } from '@presage/sdk';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

const url = process.env.PRESAGE_URL ?? 'http://127.0.0.1:8080';
const seller = createTradingClient({ url, account: privateKeyToAccount(generatePrivateKey()) });
const buyer = createTradingClient({ url, account: privateKeyToAccount(generatePrivateKey()) });
const { markets } = await seller.listMarkets({ status: 'open', kind: 'standard' });
const marketId = markets.at(-1)?.id ?? '';

// Selling shares you do not hold buys the other side: 10 YES sold at 0.55 cost 4.50 and leave 10 NO.
export const resting = await seller.placeOrder({ marketId, side: 'sell', price: '0.55', size: '10' });

export const order = await buyer.placeOrder({ marketId, side: 'buy', price: '55c', size: '4', timeInForce: 'IOC' });
console.log(`filled ${formatAmount(order.filledSize)} of 4 at once, ${order.matches} matches`);

export const { settled, failed } = await order.waitForSettlement();
for (const trade of settled) console.log(`${formatAmount(trade.size)} settled in ${trade.txHash}`);
for (const trade of failed) console.log(`${trade.id} failed: ${trade.reason} (${trade.faultParty})`);

await resting.cancel();
export const { status } = await resting.refresh();
