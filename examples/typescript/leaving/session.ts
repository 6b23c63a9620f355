// A wallet and a node: reads contracts and sends transactions that must succeed. The node may lie, so the wallet signs only within bounds.
import {
  type Address,
  createPublicClient,
  createWalletClient,
  type Hex,
  http,
  type LocalAccount,
  type PublicClient,
} from 'viem';
import { privateKeyToAccount, toAccount } from 'viem/accounts';

export interface Session {
  readonly chainId: number;
  readonly reader: PublicClient;
  readonly wallet: LocalAccount;
  readonly client: ReturnType<typeof openClient>;
  /** Resolves when the transaction is mined; rejects if it failed. */
  readonly mined: (sent: Promise<Hex>) => Promise<void>;
  /** Allows transactions to the contract from now on. Never pass an address that only the node has named. */
  readonly trust: (contract: Address) => void;
}

export interface SessionOptions {
  readonly rpcUrl: string;
  readonly privateKey: Hex;
  /** Transactions for another chain are not signed, whatever the node says. */
  readonly chainId: number;
  /** Contracts to which transactions may go. */
  readonly contracts: readonly Address[];
  /** Largest gas cost of one transaction, in wei; a tenth of the chain's coin by default. */
  readonly maxGasCost?: bigint | number | string;
}

const MAX_GAS_COST = 10n ** 17n;
/** Largest value of one transaction: price oracles charge a fee of a few wei. */
const MAX_VALUE = 10n ** 16n;

export function openSession(options: SessionOptions): Session {
  const { rpcUrl, chainId } = options;
  const trusted = new Set(options.contracts.map((address) => address.toLowerCase()));
  const wallet = openGuardedWallet(options, trusted);
  const reader = createPublicClient({ transport: http(rpcUrl), pollingInterval: 500 });
  const mined: Session['mined'] = async (sent) => {
    const hash = await sent;
    const { status } = await reader.waitForTransactionReceipt({ hash });
    if (status !== 'success') throw new Error(`transaction ${hash} failed`);
  };
  const trust = (contract: Address) => void trusted.add(contract.toLowerCase());
  return { chainId, reader, wallet, client: openClient(rpcUrl, wallet), mined, trust };
}

function openClient(rpcUrl: string, account: LocalAccount) {
  return createWalletClient({ transport: http(rpcUrl), account });
}

/** Checks every transaction before signing, because chain, fees and value come from the node. */
function openGuardedWallet({ privateKey, chainId, maxGasCost }: SessionOptions, trusted: ReadonlySet<string>) {
  const { address, signMessage, signTransaction, signTypedData } = privateKeyToAccount(privateKey);
  const most = BigInt(maxGasCost ?? MAX_GAS_COST);
  return toAccount({
    address,
    signMessage,
    signTypedData,
    signTransaction: async (transaction, options) => {
      const { gas = 0n, maxFeePerGas, gasPrice = 0n, value = 0n, to } = transaction;
      const cost = gas * (maxFeePerGas ?? gasPrice);
      if (transaction.chainId !== chainId)
        throw new Error(`the node is of chain ${transaction.chainId}, not ${chainId}`);
      if (!trusted.has(to?.toLowerCase() ?? '')) throw new Error(`${to} is not a contract that you named`);
      if (cost > most) throw new Error(`the node asks for ${cost} wei of gas in one transaction: see maxGasCost`);
      if (value > MAX_VALUE) throw new Error(`the node asks to send ${value} wei along`);
      return signTransaction(transaction, options);
    },
  });
}
