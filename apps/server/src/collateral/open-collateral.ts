// The collateral room put together.
import type { Contracts, Rpc } from '@presage/chain';
import type { Engine } from '@presage/engine';
import type { Address, Hex } from '@presage/protocol';
import type { ChainConfig } from '../config.ts';
import { Collateral } from './collateral.ts';
import { CoverKeeper, type CoverKeeperOptions } from './cover-keeper.ts';
import { HoldingsReader } from './holdings-reader.ts';
import { KnownWallets } from './known-wallets.ts';
import { ReadingQueue } from './reading-queue.ts';
import { WalletWatch } from './wallet-watch.ts';

export interface OpenCollateralOptions extends Pick<CoverKeeperOptions, 'promisedAllowance'> {
  readonly chain: Pick<ChainConfig, 'chainId' | 'collateralCheck' | 'contracts'>;
  readonly rpc: Rpc;
  readonly contracts: Contracts;
  readonly reads: Engine;
  readonly commands: { cancelUncovered: CoverKeeperOptions['cancel'] };
  readonly nowMs: () => number;
  readonly pollMs: number;
  readonly onTrouble: (error: unknown) => void;
}

const RETRY_POLLS = 10;

export function openCollateral(options: OpenCollateralOptions): Collateral {
  const { chain, rpc, contracts, reads, commands, promisedAllowance, nowMs, pollMs, onTrouble } = options;
  const place = {
    stablecoin: lower(chain.contracts.stablecoin),
    conditionalTokens: lower(chain.contracts.conditionalTokens),
    settlement: lower(chain.contracts.settlement),
  };
  const readings = new ReadingQueue(new HoldingsReader({ rpc, contracts, reads }));
  const keeper = new CoverKeeper({
    readings,
    promisedAllowance,
    onTrouble,
    retryMs: pollMs * RETRY_POLLS,
    cancel: (marketId, orderHash) => commands.cancelUncovered(marketId, orderHash),
  });
  const wallets = new KnownWallets({
    chainId: chain.chainId,
    reads,
    wallMs: Date.now,
    onDoubt: (wallet) => keeper.judge([wallet]),
  });
  const watch = new WalletWatch({
    rpc,
    contracts: place,
    wallets,
    pollMs,
    onTrouble,
    onChanged: (changed) => keeper.judge(changed),
  });
  return new Collateral({
    isEnforced: chain.collateralCheck === 'enforce',
    place,
    wallets,
    readings,
    keeper,
    watch,
    reads,
    promisedAllowance,
    nowMs,
    onTrouble,
  });
}

function lower(address: Hex): Address {
  return address.toLowerCase() as Address;
}
