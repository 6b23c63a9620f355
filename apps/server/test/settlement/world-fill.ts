// One trade of two wallets on real contracts, as the engine would show it to a settlement.
import type { OrderView, TradeView } from '@presage/engine';
import { DEFAULT_TERMS, toLowerHex } from '@presage/protocol';
import { type Hex, toHex } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import type { World } from '../../../../contracts/test/world.ts';

export const SHARES = 10_000_000n;
/** What the shares cost at half a dollar each. */
export const COST = 5_000_000n;
const [BUY, SELL] = [toHex(1, { size: 32 }), toHex(2, { size: 32 })];

/** The trade, both orders and the contracts that settle it. */
export async function openFill(world: World, buyer: PrivateKeyAccount, seller: PrivateKeyAccount, multicall: Hex) {
  const trade = {
    tradeId: '1',
    marketId: world.marketId,
    price: 500_000,
    size: Number(SHARES),
    takerSide: 0,
    timeMs: 0,
    stage: 'matched',
    makerHash: SELL,
    takerHash: BUY,
    buyer: toLowerHex(buyer.address),
    seller: toLowerHex(seller.address),
  } as unknown as TradeView;
  const toView = async (orderHash: Hex, account: PrivateKeyAccount, side: number) => {
    const signed = { orderHash, ...(await world.sign(account, { side })), terms: DEFAULT_TERMS };
    return [orderHash, { signed } as unknown as OrderView] as const;
  };
  const { settlement, shares: conditionalTokens, collateral: stablecoin, factory: marketFactory, oracle } = world;
  return {
    trades: new Map([['1', trade]]),
    chain: {
      deployment: { settlement, conditionalTokens, stablecoin, marketFactory, oracle, multicall },
      settler: world.operator.address,
      orders: new Map([await toView(BUY, buyer, 0), await toView(SELL, seller, 1)]),
    },
  };
}
