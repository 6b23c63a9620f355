// Checks that the node belongs to the chain and makes progress, and that the keys can sign and pay.
import { isObject } from '@presage/protocol';
import { type Address, formatEther } from 'viem';
import { garbage } from '../../quantity.ts';
import { isRpcFailure } from '../../rpc.ts';
import { listSignerAccounts } from '../signing-account.ts';
import {
  type ChainCheck,
  type ChainCheckOptions,
  type ChainFault,
  fault,
  isSame,
  type ServiceKey,
  warning,
} from './chain-fault.ts';

/** Gas of ten batches of medium size. */
const ENOUGH_GAS = 30_000_000n;
/** Every chain of the networks table has had many blocks by then. */
const ASLEEP_SECONDS = 600;

/** Checked first: answers of another chain mean nothing. */
export async function findOtherChain({ settings, rpc }: ChainCheckOptions): Promise<ChainFault[]> {
  const answered = Number(await rpc.request('eth_chainId'));
  if (answered === settings.chainId) return [];
  return [
    fault(
      `the node is of chain ${answered}, not of ${settings.chainId}`,
      'Correct chainId, or name a node of that chain in rpcUrls.',
    ),
  ];
}

export const checkHead: ChainCheck = async ({ settings, rpc, nowSeconds }) => {
  const head = await rpc.request('eth_getBlockByNumber', ['latest', false]);
  if (!isObject(head)) throw garbage('the newest block', head);
  const ageSeconds = nowSeconds === undefined ? 0 : nowSeconds() - Number(head.timestamp);
  const cap = settings.transactionGasCap ?? 0;
  const limit = Number(head.gasLimit);
  return [
    ageSeconds > ASLEEP_SECONDS &&
      warning(`the newest block is ${ageSeconds} s old`, 'Check that the node is synced, or name another in rpcUrls.'),
    cap > limit &&
      fault(`transactionGasCap ${cap} is more than a block holds (${limit})`, `Set it to ${limit} at most.`),
  ];
};

export const checkGasMoney: ChainCheck = async ({ rpc, keys }) => {
  const price = BigInt(String(await rpc.request('eth_gasPrice')));
  const faults = Object.entries<ServiceKey>({ ...keys }).map(async ([role, { address }]) => {
    const balance = BigInt(String(await rpc.request('eth_getBalance', [address, 'latest'])));
    const enough = price * ENOUGH_GAS;
    const remedy = `Send at least ${formatEther(enough)} of the chain's coin to ${address}.`;
    if (balance === 0n) return warning(`the ${role} ${address} has no gas money`, remedy);
    return balance < enough && warning(`the ${role} ${address} has little gas money: ${formatEther(balance)}`, remedy);
  });
  return Promise.all(faults);
};

export const checkPaused: ChainCheck = async ({ contracts }) => {
  const isPaused = await contracts.settlement.read('paused', []);
  return [
    isPaused && warning('the settlement is paused: nothing settles', 'Have the owner run `presage settlement resume`.'),
  ];
};

export const checkSigners: ChainCheck = async ({ keys }) => {
  const faults = Object.entries<ServiceKey>({ ...keys }).map(async ([role, key]) => {
    if (key.url === undefined) return false;
    const accounts = await listSignerAccounts(key.url).catch((error: unknown): undefined => {
      if (!isRpcFailure(error)) throw error;
    });
    const host = new URL(key.url).host;
    if (accounts === undefined) {
      return warning(`the ${role}'s signer at ${host} does not answer`, 'Start it, or correct its URL.');
    }
    const hasIt = accounts.some((account: Address) => isSame(account, key.address));
    return (
      !hasIt &&
      fault(
        `the signer at ${host} has no key of the ${role} ${key.address}`,
        'Load the key there, or correct the address.',
      )
    );
  });
  return Promise.all(faults);
};
