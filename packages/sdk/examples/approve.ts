// Approves by hand what setup() approves for you: an amount of stablecoin, and transfers of shares.
import { createTradingClient } from '@presage/sdk';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

const url = process.env.PRESAGE_URL ?? 'http://127.0.0.1:8080';
const client = createTradingClient({ url, account: privateKeyToAccount(generatePrivateKey()) });
const { chains } = await client.getConfig();
const chain_id = chains[0]?.chainId ?? 0;

const permit = await client.approveStablecoin({ amount: '250' });
await permit.wait();
const approval = await client.approveShares();
await approval.wait();

export const approvals = await client.getApprovals(client.address, { chain_id });
console.log(
  `may take ${approvals.settlement.allowance} units, may move shares: ${approvals.settlement.sharesApproved}`,
);
export const relayed = await client.getRelayedTransaction(approval.txHash);
export const { nonce } = await client.getContractNonce(approvals.conditionalTokens.address, client.address, {
  chain_id,
});
