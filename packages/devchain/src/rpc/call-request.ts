// A call as clients write it, made one that the node takes: one name for its data, and no more gas than a transaction may have.
import { isObject } from '@presage/protocol';
import { RpcError, rpcCode } from './rpc-error.ts';

/** A call that never ends would hold up everybody else for as long as its gas lasts. */
export function toNodeCall(call: unknown, gasCap: number): unknown {
  return isObject(call) ? withGasCap(withOneInput(call), gasCap) : call;
}

type Call = Readonly<Record<string, unknown>>;

/** Foundry writes the same data as `data` and as `input`, because some nodes read only the one and some only the other. */
function withOneInput(call: Call): Call {
  if (!('input' in call && 'data' in call)) return call;
  const { input, ...rest } = call;
  const data = rest.data ?? input;
  if (String(data).toLowerCase() === String(input ?? data).toLowerCase()) return { ...rest, data };
  throw new RpcError(
    rpcCode.server,
    'both "data" and "input" are set and not equal. Please use "input" to pass transaction call data',
  );
}

function withGasCap(call: Call, gasCap: number): Call {
  return Number(call.gas) > gasCap ? { ...call, gas: `0x${gasCap.toString(16)}` } : call;
}
