// Routes each request to the pool, the inner node, a presage_* method, or a refusal.
import { type Hex, isHex, toLowerHex } from '@presage/protocol';
import type { SandboxChain } from '../sandbox-chain.ts';
import { toNodeCall } from './call-request.ts';
import { type PresageMethodsOptions, presageMethods, type RpcMethod } from './presage-methods.ts';
import { invalidParams, RpcError, rpcCode } from './rpc-error.ts';
import { LogFilters } from './subscriptions.ts';

const PASSED_ON = /^(eth|net|web3)_|^debug_trace/;

/** Methods of the inner node that are blocked: they would change state that the log does not record. */
const refusals: readonly (readonly [RegExp, string])[] = [
  [/^eth_sendTransaction$|impersonate/i, 'use presage_sendAs, or sign and use eth_sendRawTransaction'],
  [/^eth_sign|^eth_accounts$|^personal_/, 'this node holds no keys: sign in the wallet and use eth_sendRawTransaction'],
  [/mine|mining|automine|interval/i, 'use presage_mine or presage_faults'],
  [/time/i, 'use presage_setTimeOffset'],
  [/snapshot|revert|reset/i, 'use presage_reorg'],
  [/dropTransaction/i, 'use presage_dropPool'],
  [/balance|nonce|code|storage/i, 'use presage_sendAs to move funds as somebody else'],
];

export class RpcRouter {
  readonly #chain: SandboxChain;
  readonly #methods: Record<string, RpcMethod>;

  constructor(options: PresageMethodsOptions) {
    this.#chain = options.chain;
    this.#methods = { ...presageMethods(options), ...new LogFilters(options.chain).methods(), ...this.#ownMethods() };
  }

  async call(method: string, params: readonly unknown[]): Promise<unknown> {
    const own = Object.hasOwn(this.#methods, method) ? this.#methods[method] : undefined;
    if (own) return own(params);
    const refusal = toRefusal(method);
    if (refusal) throw refusal;
    return this.#chain.ask(method, params);
  }

  #ownMethods(): Record<string, RpcMethod> {
    const chain = this.#chain;
    return {
      eth_accounts: async () => [],
      eth_chainId: async () => `0x${chain.chainId.toString(16)}`,
      eth_sendRawTransaction: async ([raw]) => chain.accept(parseRaw(raw)),
      eth_pendingTransactions: async () => chain.pooledAll().map(({ view }) => view),
      eth_getTransactionByHash: async (params) => {
        const waiting = isHex(params[0]) ? chain.pooled(toLowerHex(params[0])) : undefined;
        return waiting ? waiting.view : chain.ask('eth_getTransactionByHash', params);
      },
      eth_getTransactionReceipt: async (params) => {
        if (isHex(params[0])) await chain.settled(toLowerHex(params[0]));
        return chain.ask('eth_getTransactionReceipt', params);
      },
      eth_getTransactionCount: async (params) => {
        const [address, tag] = params;
        if (tag !== 'pending' || !isAddress(address)) return chain.ask('eth_getTransactionCount', params);
        return `0x${(await chain.pendingNonce(address)).toString(16)}`;
      },
      eth_call: (params) => this.#simulate('eth_call', params),
      eth_estimateGas: (params) => this.#simulate('eth_estimateGas', params),
      debug_traceCall: ([call, ...rest]) => chain.ask('debug_traceCall', [this.#toNodeCall(call), ...rest]),
    };
  }

  /** Contracts compare deadlines with the block's time, so a call on an idle chain must run at the current time. */
  async #simulate(method: string, params: readonly unknown[]): Promise<unknown> {
    const [given, tag = 'latest', ...rest] = params;
    const call = this.#toNodeCall(given);
    if (tag !== 'latest' && tag !== 'pending') return this.#chain.ask(method, [call, tag, ...rest]);
    if (tag === 'pending' && !this.#chain.miningHeld) await this.#chain.flush();
    return this.#chain.simulate(method, call, rest);
  }

  #toNodeCall(call: unknown): unknown {
    return toNodeCall(call, this.#chain.transactionGasCap);
  }
}

function toRefusal(method: string): RpcError | undefined {
  const managed = /^(hardhat|evm|anvil|personal|miner)_|^eth_(sendTransaction$|sign)/.test(method);
  if (managed) {
    const remedy =
      refusals.find(([pattern]) => pattern.test(method))?.[1] ?? 'see presage_status and the presage_* methods';
    return new RpcError(rpcCode.methodNotFound, `${method} is not available on the sandbox chain: ${remedy}`);
  }
  if (method === 'eth_subscribe' || method === 'eth_unsubscribe') {
    return new RpcError(rpcCode.methodNotFound, 'notifications not supported: subscribe over the WebSocket');
  }
  if (PASSED_ON.test(method)) return undefined;
  return new RpcError(rpcCode.methodNotFound, `the method ${method} does not exist/is not available`);
}

function parseRaw(raw: unknown): Hex {
  if (isHex(raw) && /^0x([0-9a-f]{2})+$/i.test(raw)) return raw;
  throw invalidParams('invalid argument 0: a signed transaction in hexadecimal is expected');
}

function isAddress(value: unknown): value is Hex {
  return typeof value === 'string' && /^0x[0-9a-f]{40}$/i.test(value);
}
