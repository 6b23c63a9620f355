// The real OptimisticOracleV3 with its dependencies, deployed from UMA's artifacts; its vote is UMA's own mock.
import { type Abi, type Address, encodeDeployData, encodeFunctionData, type Hex, stringToHex, zeroAddress } from 'viem';
import { type InProcessChain, testAccount } from './in-process-chain.ts';
import { readUmaFiles } from './uma-package.ts';

interface Artifact {
  readonly abi: Abi;
  readonly bytecode: Hex;
}

/** In this process, or anywhere else that can be asked and sent to. */
type UmaChain = Pick<InProcessChain, 'client' | 'mustSend'>;

const deployer = testAccount(9);
const noFee = { rawValue: 0n };
/** Half of a lost bond pays this, so the least bond is twice as much: more than our markets agree on. */
const finalFee = { rawValue: 600_000_000n };
const numericalTrue = 10n ** 18n;

export class UmaOracle {
  readonly address: Address;
  readonly store: Address;
  readonly #chain: UmaChain;
  readonly #vote: Address;
  readonly #currencies: Address;

  private constructor(
    chain: UmaChain,
    addresses: Readonly<Record<'oracle' | 'store' | 'vote' | 'currencies', Address>>,
  ) {
    this.#chain = chain;
    this.address = addresses.oracle;
    this.store = addresses.store;
    this.#vote = addresses.vote;
    this.#currencies = addresses.currencies;
  }

  static async deploy(chain: UmaChain, currency: Address): Promise<UmaOracle> {
    const finder = await create(chain, artifacts.finder, []);
    const store = await create(chain, artifacts.store, [noFee, noFee, zeroAddress]);
    const currencies = await create(chain, artifacts.currencies, []);
    const identifiers = await create(chain, artifacts.identifiers, []);
    const vote = await create(chain, artifacts.vote, [finder, zeroAddress]);
    const parts = { Store: store, Oracle: vote, CollateralWhitelist: currencies, IdentifierWhitelist: identifiers };
    for (const [name, address] of Object.entries(parts)) {
      await call(chain, finder, artifacts.finder, 'changeImplementationAddress', [toWord(name), address]);
    }
    await call(chain, currencies, artifacts.currencies, 'addToWhitelist', [currency]);
    await call(chain, identifiers, artifacts.identifiers, 'addSupportedIdentifier', [toWord('ASSERT_TRUTH')]);
    await call(chain, store, artifacts.store, 'setFinalFee', [currency, finalFee]);
    const oracle = await create(chain, artifacts.oracle, [finder, currency, 7_200n]);
    await call(chain, oracle, artifacts.oracle, 'syncUmaParams', [toWord('ASSERT_TRUTH'), currency]);
    return new UmaOracle(chain, { oracle, store, vote, currencies });
  }

  /** Takes a token off the list, and has the oracle read the list again. */
  async delist(currency: Address): Promise<void> {
    await call(this.#chain, this.#currencies, artifacts.currencies, 'removeFromWhitelist', [currency]);
    await call(this.#chain, this.address, artifacts.oracle, 'syncUmaParams', [toWord('ASSERT_TRUTH'), currency]);
  }

  /** Sets the vote's result; the assertion is not settled yet. */
  async decide(assertionId: Hex, truthful: boolean): Promise<void> {
    const { abi } = artifacts.oracle;
    const oracle = { address: this.address, abi, args: [assertionId] } as const;
    const { client } = this.#chain;
    const evidence = await client.readContract({ ...oracle, functionName: 'stampAssertion' });
    const { identifier, assertionTime } = (await client.readContract({ ...oracle, functionName: 'getAssertion' })) as {
      identifier: Hex;
      assertionTime: bigint;
    };
    const price = truthful ? numericalTrue : 0n;
    await call(this.#chain, this.#vote, artifacts.vote, 'pushPrice', [identifier, assertionTime, evidence, price]);
  }
}

const files = readUmaFiles();
const artifacts = {
  finder: parse(files.finder),
  store: parse(files.store),
  identifiers: parse(files.identifiers),
  vote: parse(files.vote),
  currencies: parse(files.currencies),
  oracle: parse(files.oracle),
};

export const umaOracleAbi = artifacts.oracle.abi;

function parse(text: string): Artifact {
  return JSON.parse(text);
}

async function create(chain: UmaChain, { abi, bytecode }: Artifact, args: readonly unknown[]): Promise<Address> {
  const { contractAddress } = await chain.mustSend(deployer, { data: encodeDeployData({ abi, bytecode, args }) });
  if (!contractAddress) throw new Error('no contract was made');
  return contractAddress;
}

async function call(
  chain: UmaChain,
  to: Address,
  { abi }: Artifact,
  functionName: string,
  args: readonly unknown[],
): Promise<void> {
  await chain.mustSend(deployer, { to, data: encodeFunctionData({ abi, functionName, args }) });
}

function toWord(name: string): Hex {
  return stringToHex(name, { size: 32 });
}
