// The example in Python signs what everything else signs: the golden orders, digit for digit.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ORDER_TYPES } from '@presage/protocol';
import { hasPython } from '@presage/testkit';
import { expect, it } from 'vitest';

const EXAMPLES = fileURLToPath(new URL('../../../examples/python', import.meta.url));
const VECTORS = fileURLToPath(new URL('../../../vectors/orders.json', import.meta.url));
/** The key of the wallet that signed the golden orders: the first of every local node. */
const KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';
const ORDERS = 12;

const PROGRAM = `
import json, sys
from ethereum import Wallet, typed_digest
asked = json.load(sys.stdin)
wallet = Wallet(asked["key"])
answers = []
for order in asked["orders"]:
    digest = typed_digest(asked["domain"], "Order", asked["fields"], order)
    r, s, v = wallet.sign(digest)
    answers.append(["0x" + digest.hex(), r + s[2:] + "%02x" % v])
print(json.dumps({"address": wallet.address, "answers": answers}))
`;

interface Vectors {
  readonly domain: object;
  readonly orders: readonly { order: object; digest: string; signature: string; signer: string }[];
}

it.skipIf(!hasPython())('hashes and signs the golden orders in Python (skipped where there is no python3)', () => {
  const { domain, orders } = JSON.parse(readFileSync(VECTORS, 'utf8')) as Vectors;
  const chosen = orders.slice(0, ORDERS);
  const input = JSON.stringify({
    key: KEY,
    domain,
    fields: ORDER_TYPES.Order,
    orders: chosen.map(({ order }) => order),
  });
  const output = execFileSync('python3', ['-c', PROGRAM], { input, cwd: EXAMPLES, encoding: 'utf8' });
  const { address, answers } = JSON.parse(output) as { address: string; answers: [string, string][] };
  expect(address).toBe('0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266');
  expect(answers.map(([digest]) => digest)).toEqual(chosen.map(({ digest }) => digest));
  const own = chosen.flatMap(({ signer, signature }, at) =>
    signer === address.toLowerCase() ? [[at, signature]] : [],
  );
  expect(own.length).toBeGreaterThan(0);
  for (const [at, signature] of own) expect(answers[Number(at)]?.[1]).toBe(signature);
});
