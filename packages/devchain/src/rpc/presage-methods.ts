// The presage_* methods: controls of the sandbox's chain that no real chain has.
import { type Hex, isObject, toLowerHex } from '@presage/protocol';
import type { Faults } from '../faults.ts';
import type { LedgerBlock } from '../ledger.ts';
import type { SandboxChain, SendAsRequest } from '../sandbox-chain.ts';
import { sandboxKeys } from '../sandbox-keys.ts';
import { invalidParams } from './rpc-error.ts';

export type RpcMethod = (params: readonly unknown[]) => Promise<unknown>;

/** Enough gas for any single call; several of them fit in a block. */
const SEND_AS_GAS = '0x2dc6c0';
const MAX_MINED_AT_ONCE = 1_000;
const MAX_OFFSET_SECONDS = 100 * 366 * 86_400;

export interface PresageMethodsOptions {
  readonly chain: SandboxChain;
  readonly faults: Faults;
  readonly onFaults: () => void;
}

export function presageMethods({ chain, faults, onFaults }: PresageMethodsOptions): Record<string, RpcMethod> {
  return {
    presage_sendAs: async ([request]) => chain.sendAs(parseSendAs(request)),
    presage_mine: async ([count = 1]) =>
      toHeadView(await chain.mine(parseInteger('count', count, 1, MAX_MINED_AT_ONCE))),
    presage_setTimeOffset: async ([seconds]) => {
      await chain.setTimeOffset(parseInteger('seconds', seconds, -MAX_OFFSET_SECONDS, MAX_OFFSET_SECONDS));
      return toTimeView(chain);
    },
    presage_time: async () => toTimeView(chain),
    presage_reorg: async ([request]) => {
      const { depth, transactions = 'keep' } = parseObject('presage_reorg', request);
      if (transactions !== 'keep' && transactions !== 'drop' && transactions !== 'shuffle') {
        throw invalidParams("transactions must be 'keep', 'drop' or 'shuffle'");
      }
      return toHeadView(await chain.reorganise(parseInteger('depth', depth, 1, Number.MAX_SAFE_INTEGER), transactions));
    },
    presage_dropPool: async () => chain.forgetPool(),
    presage_faults: async ([changes]) => {
      const settings = changes === undefined ? faults.settings : faults.change(changes);
      chain.holdMining(settings.mining === 'held');
      onFaults();
      return settings;
    },
    presage_status: async () => ({
      chainId: chain.chainId,
      head: toHeadView(chain.head),
      poolSize: chain.poolSize,
      subscriptions: chain.subscriptionCount,
      time: toTimeView(chain),
      faults: faults.settings,
      keys: sandboxKeys.map(({ role, address }) => ({ role, address })),
    }),
  };
}

function toHeadView({ number, hash, time }: LedgerBlock) {
  return { blockNumber: number, blockHash: hash, timestamp: time };
}

function toTimeView(chain: SandboxChain) {
  return { now: chain.clock.nowSeconds(), offsetSeconds: chain.clock.offsetSeconds, headTimestamp: chain.head.time };
}

function parseSendAs(request: unknown): SendAsRequest {
  const { from, to, data = '0x', value = '0x0', gas = SEND_AS_GAS } = parseObject('presage_sendAs', request);
  if (to === undefined && data === '0x') throw invalidParams('presage_sendAs needs `to`, or `data` to deploy');
  return {
    from: parseHex('from', from, 20),
    to: to === undefined || to === null ? null : parseHex('to', to, 20),
    data: parseHex('data', data),
    value: parseQuantity('value', value),
    gas: parseQuantity('gas', gas),
  };
}

function parseObject(method: string, value: unknown): Readonly<Record<string, unknown>> {
  if (!isObject(value) || Array.isArray(value)) throw invalidParams(`${method} takes one object`);
  return value;
}

function parseInteger(name: string, value: unknown, least: number, most: number): number {
  const number = typeof value === 'string' && /^0x[0-9a-f]{1,13}$/i.test(value) ? Number(value) : value;
  if (Number.isSafeInteger(number) && Number(number) >= least && Number(number) <= most) return Number(number);
  throw invalidParams(`${name} must be an integer from ${least} to ${most}`);
}

function parseHex(name: string, value: unknown, bytes?: number): Hex {
  const pattern = bytes === undefined ? /^0x([0-9a-f]{2})*$/i : new RegExp(`^0x[0-9a-f]{${bytes * 2}}$`, 'i');
  if (typeof value === 'string' && pattern.test(value)) return toLowerHex(value);
  throw invalidParams(`${name} must be hexadecimal${bytes === undefined ? '' : ` of ${bytes} bytes`}`);
}

function parseQuantity(name: string, value: unknown): Hex {
  if (typeof value === 'string' && /^0x[0-9a-f]{1,64}$/i.test(value)) return `0x${BigInt(value).toString(16)}`;
  throw invalidParams(`${name} must be a hexadecimal quantity`);
}
