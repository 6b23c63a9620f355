// Money and approvals for wallets of a sandbox that gives none by itself.
import { conditionalTokensWithPermitAbi, presageSettlementAbi, testStablecoinAbi } from '@presage/contracts';
import { encodeFunctionData, type Hex, zeroHash } from 'viem';
import type { Exchange } from './exchange.ts';
import type { MarketBody } from './wire.ts';

interface ConfigChain {
  readonly settlement: { readonly address: Hex };
  readonly conditionalTokens: { readonly address: Hex };
  readonly stablecoin: { readonly address: Hex };
}

export const UNLIMITED = (1n << 256n) - 1n;

/** A thousand of the stablecoin, and everything that the settlement contract may ask for. */
export async function fundAndApprove(exchange: Exchange, wallet: { readonly address: Hex }): Promise<void> {
  const onChain = await OnChainWallet.open(exchange, wallet);
  await onChain.fund(1_000_000_000n);
  await onChain.approve(UNLIMITED);
  await onChain.approveShares(true);
}

/** What a wallet with gas money does on chain by itself; each resolves when it is mined. */
export class OnChainWallet {
  readonly address: Hex;
  readonly chain: ConfigChain;
  readonly #exchange: Exchange;

  private constructor(exchange: Exchange, address: Hex, chain: ConfigChain) {
    this.#exchange = exchange;
    this.address = address;
    this.chain = chain;
  }

  static async open(exchange: Exchange, { address }: { readonly address: Hex }): Promise<OnChainWallet> {
    const { chains } = await exchange.client.read<{ chains: [ConfigChain] }>('/api/v1/config');
    return new OnChainWallet(exchange, address, chains[0]);
  }

  async fund(amount: bigint): Promise<void> {
    await this.#exchange.client.post('/sandbox/fund', { address: this.address, amount });
  }

  async send(to: Hex, amount: bigint): Promise<void> {
    await this.#money(encodeFunctionData({ abi: testStablecoinAbi, functionName: 'transfer', args: [to, amount] }));
  }

  /** Approves stablecoin, for the settlement contract unless another is named. */
  async approve(amount: bigint, spender: Hex = this.chain.settlement.address): Promise<void> {
    await this.#money(encodeFunctionData({ abi: testStablecoinAbi, functionName: 'approve', args: [spender, amount] }));
  }

  async approveShares(approved: boolean): Promise<void> {
    const args = [this.chain.settlement.address, approved] as const;
    await this.#shares(
      encodeFunctionData({ abi: conditionalTokensWithPermitAbi, functionName: 'setApprovalForAll', args }),
    );
  }

  /** Stablecoin into as many shares of either outcome. */
  async split(market: MarketBody, amount: bigint): Promise<void> {
    const { stablecoin, conditionalTokens } = this.chain;
    await this.approve(amount, conditionalTokens.address);
    const args = [stablecoin.address, zeroHash, market.id, [1n, 2n], amount] as const;
    await this.#shares(
      encodeFunctionData({ abi: conditionalTokensWithPermitAbi, functionName: 'splitPosition', args }),
    );
  }

  /** To another wallet, without the service. */
  async withdrawDeposit(amount: bigint, to: Hex): Promise<void> {
    const abi = presageSettlementAbi;
    const data = encodeFunctionData({ abi, functionName: 'withdrawDeposit', args: [amount, to] });
    await this.#exchange.chain.sendAs({ from: this.address, to: this.chain.settlement.address, data });
  }

  async requestCancel(market: MarketBody, nonce: bigint): Promise<void> {
    const data = encodeFunctionData({
      abi: presageSettlementAbi,
      functionName: 'requestCancel',
      args: [market.id, nonce],
    });
    await this.#exchange.chain.sendAs({ from: this.address, to: this.chain.settlement.address, data });
  }

  async #money(data: Hex): Promise<void> {
    await this.#exchange.chain.sendAs({ from: this.address, to: this.chain.stablecoin.address, data });
  }

  async #shares(data: Hex): Promise<void> {
    await this.#exchange.chain.sendAs({ from: this.address, to: this.chain.conditionalTokens.address, data });
  }
}
