// docs/leaving.md, tried: a chain, the contracts, a wallet, and no service anywhere.

import { createContracts, JsonRpc } from '@presage/chain';
import { conditionalTokensWithPermitAbi, presageSettlementAbi, testStablecoinAbi } from '@presage/contracts';
import { keyOf } from '@presage/devchain';
import { openChainProcess } from '@presage/testkit';
import { createPublicClient, createWalletClient, encodeFunctionData, type Hex, http, maxUint256, zeroHash } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { expect, it } from 'vitest';
import { leave } from '../../../examples/typescript/leave.ts';
import { deployContracts } from '../src/deployer/deploy-contracts.ts';

const SHARES = 10_000_000n;

it('a wallet leaves with what is its own while the service is stopped: cancel, halt, merge, redeem, withdraw', async () => {
  const chain = await openChainProcess({ blockIntervalMs: 0, lingerMs: 0 });
  const rpc = new JsonRpc({ url: chain.url });
  try {
    const deployment = await deployContracts({ rpcUrl: chain.url });
    const { settlement, conditionalTokens, stablecoin } = deployment;
    const contracts = createContracts({ rpc, deployment });
    const transport = http(chain.url);
    const reader = createPublicClient({ transport, pollingInterval: 25 });
    const privateKey = generatePrivateKey();
    const wallet = privateKeyToAccount(privateKey);
    const owner = privateKeyToAccount(keyOf('owner').privateKey);
    const as = async (account: typeof owner, to: Hex, data: Hex, value = 0n) => {
      const client = createWalletClient({ transport, account });
      const hash = await client.sendTransaction({ to, data, value, chain: null });
      expect((await reader.waitForTransactionReceipt({ hash })).status).toBe('success');
    };
    await as(owner, wallet.address, '0x', 10n ** 18n);

    // Two conditions whose oracle is the owner: one that stays open, one that is decided.
    const tokens = conditionalTokensWithPermitAbi;
    const marketIds: Hex[] = [];
    for (const questionId of [zeroHash, `0x${'01'.repeat(32)}`] as const) {
      const args = [owner.address, questionId, 2n] as const;
      await as(owner, conditionalTokens, encodeFunctionData({ abi: tokens, functionName: 'prepareCondition', args }));
      const marketId = await contracts.conditionalTokens.read('getConditionId', [owner.address, questionId, 2n]);
      const registered = { abi: presageSettlementAbi, functionName: 'registerMarket', args: [marketId] } as const;
      await as(owner, settlement, encodeFunctionData(registered));
      marketIds.push(marketId);
    }
    const coin = testStablecoinAbi;
    const mint = [wallet.address, 3n * SHARES] as const;
    await as(wallet, stablecoin, encodeFunctionData({ abi: coin, functionName: 'mint', args: mint }));
    for (const spender of [conditionalTokens, settlement]) {
      const args = [spender, maxUint256] as const;
      await as(wallet, stablecoin, encodeFunctionData({ abi: coin, functionName: 'approve', args }));
    }
    for (const marketId of marketIds) {
      const args = [stablecoin, zeroHash, marketId, [1n, 2n], SHARES] as const;
      await as(wallet, conditionalTokens, encodeFunctionData({ abi: tokens, functionName: 'splitPosition', args }));
    }
    const verdict = [`0x${'01'.repeat(32)}`, [1n, 0n]] as const;
    await as(
      owner,
      conditionalTokens,
      encodeFunctionData({ abi: tokens, functionName: 'reportPayouts', args: verdict }),
    );

    const away = privateKeyToAccount(generatePrivateKey()).address;
    const options = {
      rpcUrl: chain.url,
      privateKey,
      settlement,
      conditionalTokens,
      stablecoin,
      markets: marketIds,
      orders: [{ marketId: marketIds[0]!, nonce: 7n }],
      withdrawTo: away,
    };
    expect(await leave(options)).toEqual({ withdrawn: 3n * SHARES });

    expect(await contracts.stablecoin.read('balanceOf', [away])).toBe(3n * SHARES);
    expect(await contracts.stablecoin.read('allowance', [wallet.address, settlement])).toBe(0n);
    const cancelled = [wallet.address, marketIds[0]!, 7n] as const;
    expect(await contracts.settlement.read('cancelEffectiveAfter', cancelled)).toBeGreaterThan(0n);
    expect(await contracts.settlement.read('haltEffectiveAfter', [wallet.address])).toBeGreaterThan(0n);
    // Once more does nothing that is done already.
    expect(await leave(options)).toEqual({ withdrawn: 0n });
  } finally {
    rpc.close();
    await chain.stop();
  }
});
