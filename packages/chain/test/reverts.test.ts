// Revert reasons in every wrapping that nodes and libraries put them in.
import * as contracts from '@presage/contracts';
import { type Hex, REFUSAL_SENTENCES } from '@presage/protocol';
import { type Abi, encodeAbiParameters, encodeErrorResult, parseAbi } from 'viem';
import { describe, expect, it } from 'vitest';
import { decodeRevert } from '../src/reverts.ts';
import { RpcError, RpcUnavailable } from '../src/rpc.ts';

const custom = encodeErrorResult({ abi: contracts.presageSettlementAbi, errorName: 'TooManyFills', args: [101n] });
const reason = encodeErrorResult({
  abi: parseAbi(['error Error(string)']),
  errorName: 'Error',
  args: ['no such market'],
});
const panic = (code: bigint): Hex => `0x4e487b71${encodeAbiParameters([{ type: 'uint256' }], [code]).slice(2)}`;

const ZERO: Readonly<Record<string, Hex>> = { address: `0x${'0'.repeat(40)}`, bytes32: `0x${'0'.repeat(64)}` };

describe('a revert', () => {
  it('is named with its arguments when the error is ours', () => {
    expect(decodeRevert(custom)).toEqual({ name: 'TooManyFills', args: [101n], message: 'TooManyFills(101)' });
  });

  it('is quoted when it carries a string, and explained when it is a panic', () => {
    expect(decodeRevert(reason)).toEqual({ name: 'Error', args: ['no such market'], message: 'no such market' });
    expect(decodeRevert(panic(0x11n))?.message).toBe('panic: an arithmetic operation overflowed or underflowed');
    expect(decodeRevert(panic(0x99n))?.message).toBe('panic: unknown code 153');
  });

  it('without data, with unknown data or with malformed data is called unknown', () => {
    expect(decodeRevert('0x')?.message).toBe('reverted without a reason');
    expect(decodeRevert('0xdeadbeef')).toEqual({
      name: 'Unknown',
      args: ['0xdeadbeef'],
      message: 'reverted with unknown data 0xdeadbeef',
    });
    expect(decodeRevert(`${custom.slice(0, 12)}`)?.name).toBe('Unknown');
  });

  const wrappings: [string, unknown][] = [
    ['geth and anvil', new RpcError(3, 'execution reverted', custom)],
    ['EDR and Hardhat', new RpcError(-32603, 'VM Exception', { message: 'reverted', data: custom })],
    ['Parity and its heirs', new RpcError(-32015, 'VM execution error', `Reverted ${custom}`)],
    ['wallets', { code: -32603, data: { originalError: { data: custom } } }],
    [
      'libraries that wrap the cause',
      new Error('call failed', { cause: new RpcError(3, 'execution reverted', custom) }),
    ],
  ];
  it.each(wrappings)('is found in the error of %s', (_, error) => {
    expect(decodeRevert(error)?.name).toBe('TooManyFills');
  });

  it('without data keeps the message of the node', () => {
    expect(decodeRevert(new RpcError(3, 'execution reverted: paused'))?.message).toBe('paused');
    expect(decodeRevert(new RpcError(3, 'execution reverted'))?.message).toBe('reverted without a reason');
  });

  it('is not seen in errors that are none', () => {
    expect(decodeRevert(new RpcError(-32000, 'nonce too low'))).toBeNull();
    expect(decodeRevert(new RpcUnavailable('timeout', 'x'))).toBeNull();
    expect(decodeRevert(undefined)).toBeNull();
  });
});

/** Of all our contracts, with arguments of zeros. */
function* ownErrors(): Generator<{ readonly name: string; readonly data: Hex }> {
  const items = Object.values(contracts).flatMap((abi) => (Array.isArray(abi) ? (abi as Abi) : []));
  for (const error of items.filter((item) => item.type === 'error')) {
    const args = error.inputs.map(({ type }) => (type === 'address' || type.startsWith('bytes') ? ZERO[type] : 0n));
    yield { name: error.name, data: encodeErrorResult({ abi: [error], errorName: error.name, args }) };
  }
}

/** Errors of the libraries that our contracts move money and make contracts with. */
function* libraryErrors(): Generator<{ readonly name: string; readonly data: Hex }> {
  for (const name of [
    'TransferFromFailed',
    'TransferFailed',
    'ApproveFailed',
    'ETHTransferFailed',
    'DeploymentFailed',
  ]) {
    yield { name, data: encodeErrorResult({ abi: parseAbi([`error ${name}()`]), errorName: name }) };
  }
}

describe('an error of any of our contracts', () => {
  it('is named', () => {
    const unnamed = [...ownErrors(), ...libraryErrors()].filter(({ name, data }) => decodeRevert(data)?.name !== name);
    expect(unnamed.map(({ name }) => name)).toEqual([]);
  });
});

describe('the sentences of refusals', () => {
  it('belong to errors that a contract has and a revert is decoded to', () => {
    const decoded = [...ownErrors(), ...libraryErrors()].map(({ data }) => decodeRevert(data)?.name);
    expect([...REFUSAL_SENTENCES.keys()].filter((name) => !decoded.includes(name))).toEqual([]);
  });
});
