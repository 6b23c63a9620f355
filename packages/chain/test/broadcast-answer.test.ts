// What every kind of node says to a transaction it does not take, word for word, and what it proves.
import { describe, expect, it } from 'vitest';
import { RpcError, RpcUnavailable } from '../src/rpc.ts';
import { demandedTip, isSizeRefusal, readBroadcastAnswer } from '../src/sender/nonce-broadcaster.ts';

const HASH = `0x${'ab'.repeat(32)}` as const;
const answerTo = (message: string) => readBroadcastAnswer({ ok: false, error: new RpcError(-32000, message) }, HASH);

// Read in the sources of the nodes:
// - geth: core/error.go, core/txpool/errors.go, core/txpool/validation.go, internal/ethapi/api.go; bor, bsc and op-geth take theirs from it
// - reth: crates/rpc/rpc-eth-types/src/error/mod.rs, which repeats geth's on purpose; revm: context/interface/src/result.rs
// - erigon: txnprovider/txpool/txpoolcfg/txpoolcfg.go
// - nethermind: Nethermind.TxPool/TxPoolErrorMessages.cs and AcceptTxResult.cs, Nethermind.Core/Messages/TxErrorMessages.cs; before 2026 the
//   names of the results themselves
// - nitro: execution/gethexec/sequencer.go, with geth's words; besu: ethereum/transaction/TransactionInvalidReason and RpcErrorType
describe('the answer of a node', () => {
  it.each([
    // More gas than a transaction or a block may have.
    ['geth, bor, bsc, op-geth', 'transaction gas limit too high (cap: 16777216, tx: 28800000)', 'oversized'],
    ['geth, op-geth, reth', 'exceeds block gas limit', 'oversized'],
    ['reth, op-reth', 'exceeds max transaction gas limit', 'oversized'],
    ['reth', 'gas limit too high', 'oversized'],
    ['reth', 'intrinsic gas too high', 'oversized'],
    ['reth', "transaction's gas limit 40000000 exceeds block's gas limit 36000000", 'oversized'],
    ['revm', 'transaction gas limit (28800000) is greater than the cap (16777216)', 'oversized'],
    ['erigon', 'gas limit is too high', 'oversized'],
    [
      'nethermind',
      'transaction invalid, TxGasLimitCapExceeded: Gas limit 28800000 exceeded cap of 16777216.',
      'oversized',
    ],
    ['nethermind', 'gas limit reached, Gas limit: 100, gas limit of rejected tx: 150', 'oversized'],
    ['nethermind before 2026', 'GasLimitExceeded, Gas limit: 100, gas limit of rejected tx: 150', 'oversized'],
    ['besu', 'Transaction gas limit exceeds block gas limit', 'oversized'],
    ['besu', 'Transaction gas limit of 40000000 exceeds block gas limit of 36000000', 'oversized'],
    ['nitro before ArbOS 50', 'gas limit reached', 'oversized'],
    // More of a fee than the node sends for anybody.
    ['geth', 'tx fee (8.39 ether) exceeds the configured cap (1.00 ether)', 'oversized'],
    ['reth', 'tx fee (8390000000000000000 wei) exceeds the configured cap (1000000000000000000 wei)', 'oversized'],
    // More bytes.
    ['geth, reth', 'oversized data: transaction size 140000, limit 131072', 'oversized'],
    ['erigon, nitro', 'oversized data', 'oversized'],
    ['erigon', 'RLPTooLong', 'oversized'],
    ['nethermind', 'transaction too large, size 140000, max 131072', 'oversized'],
    ['nethermind before 2026', 'MaxTxSizeExceeded, size 140000, max 131072', 'oversized'],
    // Fees.
    ['bor', 'transaction underpriced: gas tip cap 1000000000, minimum needed 25000000000', 'underpriced'],
    ['geth', 'transaction gas price below minimum: gas tip cap 1, minimum needed 2000000000', 'underpriced'],
    ['older op-geth', 'transaction underpriced: tip needed 1000000, tip permitted 1', 'underpriced'],
    ['geth, reth, nethermind', 'replacement transaction underpriced', 'underpriced'],
    ['geth, reth, nethermind', 'transaction underpriced', 'underpriced'],
    ['reth', 'transaction priority fee below minimum required priority fee 25000000000', 'underpriced'],
    ['erigon', 'underpriced', 'underpriced'],
    ['erigon', 'fee too low', 'underpriced'],
    ['erigon', 'could not replace existing tx', 'underpriced'],
    ['nethermind before 2026', 'FeeTooLow, MaxFeePerGas too low. MaxFeePerGas: 1, BaseFee: 7', 'underpriced'],
    ['nitro', 'max fee per gas less than block base fee: address 0x00, maxFeePerGas: 1 baseFee: 2', 'underpriced'],
    ['besu', 'Gas price below configured minimum gas price', 'underpriced'],
    // Money, nonces, duplicates, nonsense.
    ['geth, nethermind', 'insufficient funds for gas * price + value: balance 1, tx cost 2', 'unfunded'],
    ['erigon', 'insufficient funds', 'unfunded'],
    ['nethermind before 2026', 'InsufficientFunds, Account balance: 0', 'unfunded'],
    ['geth, reth, erigon, nethermind', 'already known', 'maybe'],
    ['erigon', 'existing txn with same hash', 'maybe'],
    ['geth', 'nonce too low: next nonce 8, tx nonce 7', 'maybe'],
    ['nethermind', 'nonce too far in future', 'maybe'],
    ['nitro', 'invalid transaction nonce', 'maybe'],
    ['reth', 'txpool is full', 'maybe'],
    ['erigon', 'pending sub-pool is full', 'maybe'],
    ['geth', 'intrinsic gas too low: gas 1, minimum needed 21000', 'refused'],
    ['erigon', 'IntrinsicGas', 'refused'],
    ['geth', 'invalid chain id for signer: have 1 want 137', 'refused'],
    ['reth', 'transaction type not supported', 'refused'],
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
    expect(demandedTip('transaction underpriced: tip needed 1000000, tip permitted 1')).toBe(1_000_000n);
    const ofReth = 'transaction priority fee below minimum required priority fee 25000000000';
    expect(demandedTip(ofReth)).toBe(25_000_000_000n);
    expect(demandedTip('transaction underpriced')).toBeUndefined();
    expect(demandedTip('intrinsic gas too low: gas 1, minimum needed 21000')).toBeUndefined();
  });

  it('is recognised as a refusal for size by its message', () => {
    expect(isSizeRefusal('transaction gas limit too high (cap: 16777216, tx: 28800000)')).toBe(true);
    expect(isSizeRefusal('no replacement was mined; the nonce is being freed')).toBe(false);
    expect(isSizeRefusal(null)).toBe(false);
  });
});
