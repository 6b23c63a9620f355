// Everything a wallet does besides trading, and its positions and balances.
import type { ChainOptions } from '../http.ts';
import type { PublicActions } from '../public-client.ts';
import type { Session } from '../session.ts';
import type { UserPosition, WalletBalances } from '../types.ts';
import { approvalActions } from './approval-actions.ts';
import { depositActions } from './deposit-actions.ts';
import { leavingActions } from './leaving-actions.ts';
import { Relay } from './relay.ts';
import { resolutionActions } from './resolution-actions.ts';
import { setupActions } from './setup.ts';
import { shareActions } from './share-actions.ts';

export function walletActions(session: Session, reads: PublicActions) {
  const relay = new Relay(session, reads.getRelayedTransaction);
  const approvals = approvalActions(relay);
  const on = async ({ chainId }: ChainOptions) => ({ chain_id: (await session.chain(chainId)).chainId });
  return {
    ...approvals,
    ...setupActions(session, reads, approvals),
    ...shareActions(relay, reads, approvals),
    ...resolutionActions(relay, reads),
    ...depositActions(relay),
    ...leavingActions(relay),

    /** Positions of this wallet in every market of a chain. */
    positions: async (options: ChainOptions = {}): Promise<UserPosition[]> =>
      (await reads.listPositions(session.signer.address, await on(options), options)).positions,

    /** Stablecoin of this wallet on a chain: balance, allowance, reserved, available. */
    balances: async (options: ChainOptions = {}): Promise<WalletBalances> =>
      reads.getBalances(session.signer.address, await on(options), options),
  };
}
