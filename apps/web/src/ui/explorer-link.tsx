// A link to a transaction in the chain's explorer; plain text if the chain has no explorer.
import type { ReactNode } from 'react';
import { shortHash } from '../lib/format.ts';
import { useChain } from '../state/service-config.ts';

interface ExplorerProps {
  readonly txHash: string | undefined;
  /** Undefined until the market is known. */
  readonly chainId: number | undefined;
  /** Shown instead of the children if there is no explorer. */
  readonly fallback?: ReactNode;
  readonly children: ReactNode;
}

export function ExplorerLink({ txHash, chainId, children, fallback = children }: ExplorerProps) {
  const { explorerUrl } = useChain(chainId);
  if (explorerUrl === undefined || txHash === undefined || !/^0x[0-9a-f]{64}$/i.test(txHash)) return fallback;
  return (
    <a
      className="tx-link"
      href={`${explorerUrl}/tx/${txHash}`}
      target="_blank"
      rel="noreferrer"
      title={`Transaction ${shortHash(txHash)}`}
      data-testid="explorer"
    >
      {children}
    </a>
  );
}
