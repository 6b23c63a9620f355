// Explains why a call reverted: decodes our contracts' errors, Solidity's own, and the many ways nodes wrap them.
import {
  conditionalTokensWithPermitAbi,
  eventFactoryAbi,
  eventMarketAbi,
  marketAbi,
  marketFactoryAbi,
  marketOracleAbi,
  optimisticOracleAbi,
  outcomeMarketAbi,
  ownerTimelockAbi,
  presageSettlementAbi,
  priceOracleAbi,
  quickMarketAbi,
  quickMarketFactoryAbi,
  testStablecoinAbi,
} from '@presage/contracts';
import { type Hex, isObject } from '@presage/protocol';
import { type AbiItem, decodeErrorResult, isHex, toFunctionSelector } from 'viem';

export interface DecodedRevert {
  /** The error's name; `Error`, `Panic` or `Unknown` if it is none of ours. */
  readonly name: string;
  readonly args: readonly unknown[];
  readonly message: string;
}

type AbiError = Extract<AbiItem, { type: 'error' }>;

const SOLIDITY_ERRORS: readonly AbiError[] = [
  { type: 'error', name: 'Error', inputs: [{ name: 'reason', type: 'string' }] },
  { type: 'error', name: 'Panic', inputs: [{ name: 'code', type: 'uint256' }] },
];

/** Errors that libraries revert with in assembly and that are therefore in no contract's ABI. */
const LIBRARY_ERRORS: readonly AbiError[] = [
  'TransferFromFailed',
  'TransferFailed',
  'ApproveFailed',
  'ETHTransferFailed',
  'DeploymentFailed',
].map((name) => ({ type: 'error', name, inputs: [] }));

const PANICS: Readonly<Record<string, string>> = {
  '1': 'an assertion failed',
  '17': 'an arithmetic operation overflowed or underflowed',
  '18': 'a division or modulo by zero',
  '33': 'a value outside its enum',
  '34': 'a badly encoded storage byte array',
  '49': 'pop on an empty array',
  '50': 'an array index out of bounds',
  '65': 'too much memory was allocated',
  '81': 'a call of an uninitialised internal function',
};

const ABIS: readonly (readonly AbiItem[])[] = [
  presageSettlementAbi,
  conditionalTokensWithPermitAbi,
  marketFactoryAbi,
  marketAbi,
  eventFactoryAbi,
  eventMarketAbi,
  outcomeMarketAbi,
  quickMarketFactoryAbi,
  quickMarketAbi,
  priceOracleAbi,
  optimisticOracleAbi,
  marketOracleAbi,
  ownerTimelockAbi,
  testStablecoinAbi,
];

let errors: ReadonlyMap<string, AbiError> | undefined;

/** Computed at the first revert, because the hashing would slow every start. */
function errorsBySelector(): ReadonlyMap<string, AbiError> {
  errors ??= collectErrors([...ABIS.flat(), ...LIBRARY_ERRORS, ...SOLIDITY_ERRORS]);
  return errors;
}

/** Decodes revert data, or any error that carries it; null if the error is no revert. */
export function decodeRevert(input: unknown): DecodedRevert | null {
  const data = findRevertData(input);
  if (data !== null) return decodeData(data);
  const message = findRevertMessage(input);
  return message === null ? null : { name: 'Unknown', args: [], message };
}

function decodeData(data: Hex): DecodedRevert {
  if (data === '0x') return { name: 'Unknown', args: [], message: 'reverted without a reason' };
  const abi = errorsBySelector().get(data.slice(0, 10).toLowerCase());
  if (abi === undefined)
    return { name: 'Unknown', args: [data], message: `reverted with unknown data ${shorten(data)}` };
  try {
    const { errorName, args = [] } = decodeErrorResult({ abi: [abi], data });
    return { name: errorName, args, message: toMessage(errorName, args) };
  } catch {
    return { name: 'Unknown', args: [data], message: `reverted with malformed ${abi.name} data ${shorten(data)}` };
  }
}

function toMessage(name: string, args: readonly unknown[]): string {
  if (name === 'Error') return String(args[0]);
  if (name === 'Panic') return `panic: ${PANICS[String(args[0])] ?? `unknown code ${String(args[0])}`}`;
  return `${name}(${args.map(String).join(', ')})`;
}

/** geth and anvil put the data in `error.data`; EDR, older nodes and wallets nest it; libraries wrap all of them. */
function findRevertData(input: unknown, depth = 0): Hex | null {
  if (typeof input === 'string') return toRevertData(input);
  if (!isObject(input) || depth > 6) return null;
  const { data, result, error, originalError, cause } = input;
  for (const inner of [data, result, error, originalError, cause]) {
    const found = findRevertData(inner, depth + 1);
    if (found !== null) return found;
  }
  return null;
}

/** Parity and its forks answer "Reverted 0x..." instead of the bare data. */
function toRevertData(text: string): Hex | null {
  const bare = text.replace(/^reverted\s+/i, '');
  return isHex(bare) && bare.length % 2 === 0 ? bare : null;
}

const REVERT_CODE = 3;

function findRevertMessage(input: unknown): string | null {
  if (!isObject(input)) return null;
  const { message, code } = input;
  if (typeof message !== 'string') return null;
  if (code !== REVERT_CODE && !/revert/i.test(message)) return null;
  return message.replace(/^execution reverted:?\s*/i, '') || 'reverted without a reason';
}

function collectErrors(items: readonly AbiItem[]): Map<string, AbiError> {
  const errors = items.filter((item): item is AbiError => item.type === 'error');
  return new Map(errors.map((item) => [selectorOf(item), item]));
}

function selectorOf(item: AbiError): Hex {
  return toFunctionSelector({ ...item, type: 'function', outputs: [], stateMutability: 'view' });
}

function shorten(data: Hex): string {
  return data.length <= 74 ? data : `${data.slice(0, 74)}...`;
}
