// Trades with a browser wallet: any EIP-1193 provider and the address that the user chose.
import { createTradingClient, type Eip1193Provider } from '@presage/sdk';
import { createWalletClient, custom } from 'viem';

declare const ethereum: Eip1193Provider;

const [address] = await createWalletClient({ transport: custom(ethereum) }).requestAddresses();
const url = process.env.PRESAGE_URL ?? 'http://127.0.0.1:8080';
const client = createTradingClient({ url, account: { provider: ethereum, address: address ?? '' } });

const { markets } = await client.listMarkets({ status: 'open', kind: 'standard' });
export const order = await client.placeOrder({
  marketId: markets[0]?.id ?? '',
  side: 'buy',
  price: '0.02',
  size: '1',
});
await order.cancel();
