// Every operation that the documentation knows.
import { MARKET_OPERATIONS } from './market-operations.ts';
import type { Operation } from './operation.ts';
import { KEY_OPERATIONS, ORDER_OPERATIONS } from './order-operations.ts';
import { PRICE_OPERATIONS, SANDBOX_PRICE_OPERATIONS } from './price-operations.ts';
import { QUICK_OPERATIONS } from './quick-operations.ts';
import { RELAYER_OPERATIONS_TOLD } from './relayer-operations.ts';
import { RESOLUTION_OPERATIONS } from './resolution-operations.ts';
import { SANDBOX_OPERATIONS } from './sandbox-operations.ts';
import { STREAM_OPERATIONS } from './stream-operations.ts';
import { SERVICE_OPERATIONS, WALLET_OPERATIONS } from './user-operations.ts';

export const OPERATIONS: readonly Operation[] = [
  ...ORDER_OPERATIONS,
  ...MARKET_OPERATIONS,
  ...QUICK_OPERATIONS,
  ...WALLET_OPERATIONS,
  ...RELAYER_OPERATIONS_TOLD,
  ...RESOLUTION_OPERATIONS,
  ...PRICE_OPERATIONS,
  ...STREAM_OPERATIONS,
  ...KEY_OPERATIONS,
  ...SERVICE_OPERATIONS,
  ...SANDBOX_OPERATIONS,
  ...SANDBOX_PRICE_OPERATIONS,
];
