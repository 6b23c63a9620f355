// A wallet and a node: what asks contracts, and what sends them transactions that must succeed.
import { createPublicClient, createWalletClient, type Hex, http, type PublicClient } from 'viem';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';

export interface Session {
  readonly reader: PublicClient;
  readonly wallet: PrivateKeyAccount;
  readonly client: ReturnType<typeof openClient>;
  /** Resolves when the transaction is mined and succeeded. */
  readonly mined: (sent: Promise<Hex>) => Promise<void>;
}

export function openSession(rpcUrl: string, privateKey: Hex): Session {
  const wallet = privateKeyToAccount(privateKey);
  const reader = createPublicClient({ transport: http(rpcUrl), pollingInterval: 500 });
  const mined: Session['mined'] = async (sent) => {
    const hash = await sent;
    const { status } = await reader.waitForTransactionReceipt({ hash });
    if (status !== 'success') throw new Error(`transaction ${hash} failed`);
  };
  return { reader, wallet, client: openClient(rpcUrl, wallet), mined };
}

function openClient(rpcUrl: string, account: PrivateKeyAccount) {
  return createWalletClient({ transport: http(rpcUrl), account });
}
