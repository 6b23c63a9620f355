// Converts a client's call into one that the node accepts: a single name for its data, and no more gas than a
// transaction may have.
import { isObject } from '@presage/protocol';
import { RpcError, rpcCode } from './rpc-error.ts';

/** The gas is capped because an endless call would block all other clients until its gas is used up. */
export function toNodeCall(call: unknown, gasCap: number): unknown {
  return isObject(call) ? withGasCap(withOneInput(call), gasCap) : call;
}

type Call = Readonly<Record<string, unknown>>;

/** Foundry sends the same data as `data` and as `input`, because some nodes read only one of them. */
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
