// Everything a wallet does besides trading, and its positions and balances.
import type { CallOptions } from '../http.ts';
import type { PublicActions } from '../public-client.ts';
import type { Session } from '../session.ts';
import { approvalActions } from './approval-actions.ts';
import { leavingActions } from './leaving-actions.ts';
import { PermitService } from './permits.ts';
import { resolutionActions } from './resolution-actions.ts';
import { setupActions } from './setup.ts';
import { shareActions } from './share-actions.ts';

export function walletActions(session: Session, reads: PublicActions) {
  const ports = { session, permits: new PermitService(session), readTransaction: reads.getRelayedTransaction, reads };
  const approvals = approvalActions(ports);
  const here = async () => ({ chain_id: (await session.chain()).chainId });
  return {
    ...approvals,
    ...setupActions({ session, approvals, getApprovals: reads.getApprovals }),
    ...shareActions({ ...ports, approvals }),
    ...resolutionActions(ports),
    ...leavingActions(ports),

    /** What this wallet holds in every market. */
    positions: async (options?: CallOptions) =>
      (await reads.listPositions(session.signer.address, await here(), options)).positions,

    /** Stablecoin of this wallet: balance, allowance, reserved, available. */
    balances: async (options?: CallOptions) => reads.getBalances(session.signer.address, await here(), options),
  };
}
