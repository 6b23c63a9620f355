// What every kind of node says to a transaction it does not take, word for word, and what it proves.
import { describe, expect, it } from 'vitest';
import { demandedTip, isSizeRefusal, readBroadcastAnswer } from '../src/broadcast-answer.ts';
import { RpcError, RpcUnavailable } from '../src/rpc-errors.ts';

const HASH = `0x${'ab'.repeat(32)}` as const;
const answerTo = (message: string) => readBroadcastAnswer({ ok: false, error: new RpcError(-32000, message) }, HASH);

describe('the answer of a node', () => {
  it.each([
    // More gas than a transaction or a block may have.
    ['geth, bor, bsc', 'transaction gas limit too high (cap: 16777216, tx: 28800000)', 'oversized'],
    ['geth, op-geth, nitro', 'exceeds block gas limit', 'oversized'],
    ['op-geth', 'exceeds max transaction gas limit', 'oversized'],
    ['reth', 'exceeds max transaction gas limit', 'oversized'],
    ['reth', "transaction's gas limit 40000000 exceeds block's gas limit 36000000", 'oversized'],
    ['revm', 'transaction gas limit (28800000) is greater than the cap (16777216)', 'oversized'],
    ['revm', 'transaction gas limit is greater than the cap', 'oversized'],
    ['erigon', 'gas limit too high', 'oversized'],
    ['erigon', 'gas limit is too big', 'oversized'],
    ['nethermind', 'TxGasLimitCapExceeded: Gas limit 28800000 exceeded cap of 16777216.', 'oversized'],
    ['nethermind', 'GasLimitExceeded, Gas limit: 100, gas limit of rejected tx: 150', 'oversized'],
    ['besu', 'EXCEEDS_BLOCK_GAS_LIMIT: Transaction gas limit exceeds block gas limit', 'oversized'],
    ['nitro', 'max gas limit reached', 'oversized'],
    // More bytes.
    ['geth', 'oversized data: transaction size 140000, limit 131072', 'oversized'],
    ['erigon', 'rlp is too long', 'oversized'],
    ['nethermind', 'MaxTxSizeExceeded, size 140000, max 131072', 'oversized'],
    ['nitro', 'transaction too large', 'oversized'],
    // Fees.
    ['bor', 'transaction underpriced: gas tip cap 1000000000, minimum needed 25000000000', 'underpriced'],
    ['geth', 'transaction gas price below minimum: gas tip cap 1, minimum needed 2000000000', 'underpriced'],
    ['geth', 'replacement transaction underpriced', 'underpriced'],
    ['reth', 'transaction underpriced', 'underpriced'],
    ['nethermind', 'FeeTooLow, MaxFeePerGas too low. MaxFeePerGas: 1, BaseFee: 7', 'underpriced'],
    ['nitro', 'max fee per gas less than block base fee: address 0x00, maxFeePerGas: 1 baseFee: 2', 'underpriced'],
    ['besu', 'Gas price below configured minimum gas price', 'underpriced'],
    // Money, nonces, duplicates, nonsense.
    ['geth', 'insufficient funds for gas * price + value: balance 1, tx cost 2', 'unfunded'],
    ['nethermind', 'InsufficientFunds, Account balance: 0', 'unfunded'],
    ['geth', 'already known', 'maybe'],
    ['erigon', 'existing tx with same hash: already known', 'maybe'],
    ['geth', 'nonce too low: next nonce 8, tx nonce 7', 'maybe'],
    ['nitro', 'invalid transaction nonce', 'maybe'],
    ['geth', 'intrinsic gas too low: gas 1, minimum needed 21000', 'refused'],
    ['geth', 'invalid chain id for signer: have 1 want 137', 'refused'],
    ['anyone', 'the moon is full', 'maybe'],
  ])('%s: "%s" is %s', (_, message, answer) => {
    expect(answerTo(message)).toBe(answer);
  });

  it('is unknown when there is none', () => {
    const error = new RpcUnavailable('timeout', 'no answer');
    expect(readBroadcastAnswer({ ok: false, error }, HASH)).toBe('unreachable');
  });

  it('says what tip it demands, where it does', () => {
    expect(demandedTip('transaction underpriced: gas tip cap 1000000000, minimum needed 25000000000')).toBe(
      25_000_000_000n,
    );
    expect(demandedTip('transaction underpriced')).toBeUndefined();
    expect(demandedTip('intrinsic gas too low: gas 1, minimum needed 21000')).toBeUndefined();
  });

  it('is recognised as a refusal for size by its message', () => {
    expect(isSizeRefusal('transaction gas limit too high (cap: 16777216, tx: 28800000)')).toBe(true);
    expect(isSizeRefusal('no replacement was mined; the nonce is being freed')).toBe(false);
    expect(isSizeRefusal(null)).toBe(false);
  });
});
