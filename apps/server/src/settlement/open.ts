// Opens the settlement of one chain.
import { Settlement, type SettlementOptions } from './settlement.ts';

export type OpenSettlementOptions = SettlementOptions;

/** It follows the sender and the wallets on hold from now on, and sends from `start`. */
export function openSettlement(options: OpenSettlementOptions): Settlement {
  return new Settlement(options);
}
