// Every route beside health, docs and page, each given the ports that it may call and nothing else.

import type { CallerGuard } from './api/callers.ts';
import type { Routes } from './api/http-server.ts';
import type { PriceStream } from './api/price-stream.ts';
import type { QuickAnswers } from './api/quick-answers.ts';
import { apiKeyRoutes } from './api/routes/api-keys.ts';
import { candleRoutes } from './api/routes/candles.ts';
import { marketRoutes } from './api/routes/markets.ts';
import { orderBulkRoutes } from './api/routes/order-bulk.ts';
import { orderValidationRoutes } from './api/routes/order-validation.ts';
import { orderRoutes } from './api/routes/orders.ts';
import { positionRoutes } from './api/routes/positions.ts';
import { priceRoutes } from './api/routes/prices.ts';
import { quickMarketRoutes } from './api/routes/quick-markets.ts';
import type { RelayerServices } from './api/routes/relayer.ts';
import { relayerRoutes } from './api/routes/relayer.ts';
import { resolutionRoutes } from './api/routes/resolution.ts';
import { sandboxRoutes } from './api/routes/sandbox.ts';
import { type MakerPort, sandboxMakerRoutes } from './api/routes/sandbox-maker.ts';
import { sandboxOracleRoutes } from './api/routes/sandbox-oracle.ts';
import { sandboxPriceRoutes } from './api/routes/sandbox-prices.ts';
import { serviceRoutes } from './api/routes/service.ts';
import { statisticsRoutes } from './api/routes/statistics.ts';
import { tradeRoutes } from './api/routes/trades.ts';
import { userRoutes } from './api/routes/users.ts';
import type { WalletPort } from './api/routes/wallets.ts';
import { walletRoutes } from './api/routes/wallets.ts';
import type { ApiServices, PricePort, SandboxOraclePort, SandboxPort, SandboxPricePort } from './api/services.ts';

export interface PublicRouteParts {
  readonly services: ApiServices;
  /** Checks tokens of the keys' own endpoints even where authentication is off. */
  readonly guard: CallerGuard;
  readonly reads: ApiServices['reads'];
  readonly wallets: WalletPort;
  readonly prices: PricePort;
  readonly priceStream: PriceStream;
  readonly stream: { readonly routes: Routes };
  readonly quickAnswers: QuickAnswers;
  readonly relayer: RelayerServices['relayer'];
  readonly stablecoinSymbol: string;
}

export function publicRoutes({ services, guard, reads, wallets, prices, ...parts }: PublicRouteParts): Routes[] {
  const rooms = [
    orderRoutes,
    orderBulkRoutes,
    orderValidationRoutes,
    marketRoutes,
    tradeRoutes,
    positionRoutes,
    resolutionRoutes,
    statisticsRoutes,
    candleRoutes,
    userRoutes,
    serviceRoutes,
  ];
  return [
    parts.stream.routes,
    ...rooms.map((room) => room(services)),
    walletRoutes({ reads, wallets }),
    priceRoutes({ prices, stream: parts.priceStream }),
    quickMarketRoutes(parts.quickAnswers),
    relayerRoutes({ ...services, relayer: parts.relayer, symbol: parts.stablecoinSymbol }),
    apiKeyRoutes(services, guard, () => Math.floor(Date.now() / 1_000)),
  ];
}

export interface SandboxRouteParts {
  readonly services: ApiServices;
  readonly service: SandboxPort;
  readonly oracle: SandboxOraclePort;
  readonly maker: MakerPort;
  readonly pins: SandboxPricePort;
}

export function sandboxOnlyRoutes({ services, service, oracle, maker, pins }: SandboxRouteParts): Routes[] {
  return [
    sandboxRoutes(service, services),
    sandboxOracleRoutes(oracle, services),
    sandboxMakerRoutes(maker),
    sandboxPriceRoutes(pins),
  ];
}
