// Deposits stablecoin with the settlement contract, trades from the deposit, and takes it out again.
import { createSandboxClient, createTradingClient } from '@presage/sdk';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

const url = process.env.PRESAGE_URL ?? 'http://127.0.0.1:8080';
const newClient = () => createTradingClient({ url, account: privateKeyToAccount(generatePrivateKey()) });
const [maker, taker] = [newClient(), newClient()];
const sandbox = createSandboxClient({ url });
const { id: marketId } = await sandbox.createMarket({ question: 'Does a deposit pay?', expiresIn: 86_400 });
for (const { address } of [maker, taker]) await sandbox.fund(address, '100');
for (const client of [maker, taker]) await client.setup();

// From here on the maker's fills take from the deposit what it covers, and pay into it.
await (await maker.deposit('50')).wait();
await maker.placeOrder({ marketId, side: 'buy', price: '0.40', size: '10' });
const sold = await taker.placeOrder({ marketId, side: 'sell', price: '0.40', size: '10' });
await sold.waitForSettlement();
export const { deposited } = await maker.balances();
console.log(`deposited: ${deposited} units`);

// All of it, back into the wallet; the contract pays it without the service, too.
await (await maker.withdraw()).wait();
export const afterwards = await maker.balances();
console.log(`deposited: ${afterwards.deposited}, in the wallet: ${afterwards.balance}`);
