// Wallets that are contracts, on a real chain: who stands by a signature, within which gas, and how often the chain is asked.
import { NodeReader } from '@presage/chain';
import type { Address } from '@presage/protocol';
import {
  concatHex,
  encodeDeployData,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  keccak256,
  serializeErc6492Signature,
  toHex,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Artifact, compileFolder, settings } from '../../../../contracts/scripts/compile.ts';
import { InProcessChain, testAccount } from '../../../../contracts/test/in-process-chain.ts';
import { LaggingRpc } from '../../../../packages/chain/test/lagging-rpc.ts';
import { ContractSignatures } from '../../src/wallets/contract-signatures.ts';
import { toRpc } from '../in-process-rpc.ts';

const [first, second] = [1, 2].map((key) => privateKeyToAccount(toHex(key, { size: 32 }))) as [
  ReturnType<typeof privateKeyToAccount>,
  ReturnType<typeof privateKeyToAccount>,
];
const DIGEST = keccak256('0x1234');
const [BURNS_GAS, SAYS_NO, REVERTS] = [3, 1, 2];

let chain: InProcessChain;
let artifact: Artifact;
let wallet: Address;
let asked: string[];

async function signTwice(): Promise<Hex> {
  return concatHex([await first.sign({ hash: DIGEST }), await second.sign({ hash: DIGEST })]);
}

async function open(nowMs = () => 0): Promise<ContractSignatures> {
  asked = [];
  const rpc = toRpc(chain, asked);
  return new ContractSignatures({ rpc, node: new NodeReader(rpc) }, nowMs);
}

async function setManner(manner: number, burn = 0n): Promise<void> {
  const data = encodeFunctionData({ abi: artifact.abi, functionName: 'setManner', args: [manner, burn] });
  await chain.mustSend(testAccount(0), { to: wallet, data });
}

beforeAll(async () => {
  artifact = compileFolder('test/solidity', settings.tests).find(({ name }) => name === 'TwoKeyWallet')!;
  chain = await InProcessChain.open();
  const args = [first.address, second.address];
  const data = encodeDeployData({ abi: artifact.abi, bytecode: artifact.bytecode, args });
  const { contractAddress } = await chain.mustSend(testAccount(0), { data });
  wallet = contractAddress!.toLowerCase() as Address;
});

describe('a wallet that is a contract', () => {
  it('stands by what its owners signed, and by nothing else', async () => {
    await setManner(0);
    const signatures = await open();
    expect(await signatures.isSigned(wallet, DIGEST, await signTwice())).toBe(true);
    expect(await signatures.isSigned(wallet, keccak256('0x99'), await signTwice())).toBe(false);
    expect(await signatures.isSigned(wallet, DIGEST, (await signTwice()).slice(0, 132) as Hex)).toBe(false);
  });

  it.each([
    ['says no', SAYS_NO, 0n],
    ['reverts', REVERTS, 0n],
    ['takes more gas than the chain would allow', BURNS_GAS, 160_000n],
  ])('has not signed when it %s', async (_, manner, burn) => {
    await setManner(manner, burn);
    expect(await (await open()).isSigned(wallet, DIGEST, await signTwice())).toBe(false);
  });

  it('may take the gas that the chain allows', async () => {
    await setManner(BURNS_GAS, 100_000n);
    expect(await (await open()).isSigned(wallet, DIGEST, await signTwice())).toBe(true);
    await setManner(0);
  });

  it('is asked once for a request and its repetition, and again later', async () => {
    let nowMs = 0;
    const signatures = await open(() => nowMs);
    for (const at of [0, 4_999]) {
      nowMs = at;
      await signatures.isSigned(wallet, DIGEST, await signTwice());
    }
    expect(asked).toEqual(['eth_getBlockByNumber', 'eth_getCode', 'eth_call']);
    nowMs = 5_000;
    await setManner(SAYS_NO);
    expect(await signatures.isSigned(wallet, DIGEST, await signTwice())).toBe(false);
    await setManner(0);
  });

  it('that is none costs one question in ten seconds, however often it signs wrongly', async () => {
    const signatures = await open();
    const nobody = first.address.toLowerCase() as Address;
    for (let time = 0; time < 5; time += 1) expect(await signatures.isSigned(nobody, DIGEST, '0x1234')).toBe(false);
    expect(await signatures.hasCode(nobody)).toBe(false);
    expect(asked).toEqual(['eth_getBlockByNumber', 'eth_getCode']);
    expect(await signatures.hasCode(wallet)).toBe(true);
  });
});

describe('a wallet that was deployed in the newest block', () => {
  it('is not taken for one without code by a node that is behind', async () => {
    const args = [first.address, second.address];
    const data = encodeDeployData({ abi: artifact.abi, bytecode: artifact.bytecode, args });
    const { contractAddress, blockNumber } = await chain.mustSend(testAccount(0), { data });
    const rpc = new LaggingRpc(toRpc(chain));
    const node = new NodeReader(rpc);
    await node.head();
    const signatures = new ContractSignatures({ rpc, node }, () => 0);
    const owner = contractAddress!.toLowerCase() as Address;
    rpc.newest = Number(blockNumber) - 1;
    await expect(signatures.isSigned(owner, DIGEST, await signTwice())).rejects.toThrow('header not found');
    rpc.newest = undefined;
    expect(await signatures.isSigned(owner, DIGEST, await signTwice())).toBe(true);
  });
});

describe('a wallet that is yet to be deployed', () => {
  it('stands by a signature that says how to deploy it (ERC-6492)', async () => {
    // A factory of one function: CREATE2 of its call data, with salt zero.
    const runtime = '0x365f5f375f365f5ff55f5260205ff3';
    const creation = concatHex(['0x600f600c600039600f6000f3', runtime]);
    const { contractAddress } = await chain.mustSend(testAccount(0), { data: creation });
    const bytecode = encodeDeployData({
      abi: artifact.abi,
      bytecode: artifact.bytecode,
      args: [first.address, second.address],
    });
    const salt = `0x${'00'.repeat(32)}` as const;
    const address = getContractAddress({ opcode: 'CREATE2', from: contractAddress!, salt, bytecode });
    const wrapped = (signature: Hex) =>
      serializeErc6492Signature({ address: contractAddress!, data: bytecode, signature });
    const signatures = await open();
    const owner = address.toLowerCase() as Address;
    expect(await signatures.isSigned(owner, DIGEST, wrapped(await signTwice()))).toBe(true);
    expect(await signatures.isSigned(owner, keccak256('0x99'), wrapped(await signTwice()))).toBe(false);
    expect(await signatures.hasCode(owner)).toBe(false);
  });

  it('is asked about one after another, and a crowd of such questions is refused', async () => {
    const signatures = await open();
    const signed = serializeErc6492Signature({ address: wallet, data: '0x', signature: await signTwice() });
    const questions = Array.from({ length: 20 }, () => signatures.isSigned(first.address, DIGEST, signed));
    const results = await Promise.allSettled(questions);
    const refusals = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    expect(refusals).toHaveLength(4);
    for (const refusal of refusals) expect(refusal).toMatchObject({ code: 'overloaded' });
    expect(asked.filter((method) => method === 'eth_call')).toHaveLength(16);
    // They are gone, and others are answered.
    expect(await signatures.isSigned(first.address, DIGEST, signed)).toBe(false);
  });
});
