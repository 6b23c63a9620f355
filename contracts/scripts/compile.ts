// Compiles the Solidity sources with npm's solc and caches the result by a hash of all input.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, posix, relative, sep } from 'node:path';
import type { Abi, Hex } from 'viem';
import { makeOnce } from './make-once.ts';

export interface Artifact {
  readonly source: string;
  readonly name: string;
  readonly abi: Abi;
  readonly bytecode: Hex;
  readonly deployedBytecode: Hex;
}

interface SolcOutput {
  readonly errors?: readonly SolcMessage[];
  readonly sources?: Record<string, { readonly ast: unknown }>;
  readonly contracts?: Record<string, Record<string, SolcContract>>;
}

interface SolcMessage {
  readonly severity: string;
  readonly errorCode?: string;
  readonly formattedMessage: string;
  readonly sourceLocation?: { readonly file: string };
}

interface SolcContract {
  readonly abi: Abi;
  readonly evm: { readonly bytecode: { object: string }; readonly deployedBytecode: { object: string } };
}

/** The complete input of the compiler, so that an explorer compiles the same. */
export interface StandardInput {
  readonly language: 'Solidity';
  readonly sources: Readonly<Record<string, { readonly content: string }>>;
  readonly settings: Settings;
}

interface Solc {
  compile(input: string): string;
  version(): string;
}

const require = createRequire(import.meta.url);
const contractsRoot = join(import.meta.dirname, '..');
const codeSizeWarnings = ['5574', '3860'];
const cacheFolder = join(contractsRoot, '.cache');

// The metadata hash stays in the bytecode, so that explorers can verify the sources to the last comment. It depends on the
// sources, their names below contracts/ and these settings alone, never on the machine.
const production = {
  evmVersion: 'cancun',
  viaIR: true,
  optimizer: { enabled: true, runs: 1_000_000 },
  metadata: { appendCBOR: true, bytecodeHash: 'ipfs' },
  outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'] } },
};

// Tests deploy the production bytecode. Test contracts need not be fast, but must compile in seconds. Neither they nor
// mutated contracts carry the metadata hash, so that a reworded comment does not change their code.
const withoutMetadata = { ...production, metadata: { appendCBOR: false, bytecodeHash: 'none' } };
const tests = {
  ...withoutMetadata,
  viaIR: false,
  // These two run even without the optimizer, for an eighth of the time.
  optimizer: { enabled: false, runs: 1, details: { peephole: false, jumpdestRemover: false } },
};

export const settings = { production, mutations: withoutMetadata, tests };
type Settings = typeof production | typeof tests;

/** Compiles every `.sol` file below a folder of `contracts/`, with its imports; packages are resolved as in Node. */
export function compileFolder(folder: string, chosen: Settings): Artifact[] {
  const input = standardInputOf(folder, chosen);
  mkdirSync(cacheFolder, { recursive: true });
  const file = join(cacheFolder, `${hashOfInput(input).slice(0, 32)}.json`);
  return JSON.parse(makeOnce(file, () => JSON.stringify(compile(input))));
}

/** Hash of everything that determines the output: sources with all imports, settings, and the compiler, as installed and as pinned. */
export function hashOfInput(input: StandardInput): string {
  const installed: string = require('solc/package.json').version;
  const pinned: string = require('../package.json').devDependencies.solc;
  return sha256(JSON.stringify([input, installed, pinned]));
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** The sources of a folder with everything they import, sorted by name. */
export function standardInputOf(folder: string, chosen: Settings): StandardInput {
  const found = readSources(folder);
  const queue = Object.keys(found);
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    for (const imported of importsOf(name, found[name]!.content)) {
      if (imported in found) continue;
      found[imported] = { content: readImport(imported) };
      queue.push(imported);
    }
  }
  const sources = Object.fromEntries(Object.entries(found).sort(([a], [b]) => (a < b ? -1 : 1)));
  return { language: 'Solidity', sources, settings: chosen };
}

export function compilerVersion(): string {
  const solc: Solc = require('solc');
  return solc.version();
}

function readSources(folder: string): Record<string, { content: string }> {
  const sources: Record<string, { content: string }> = {};
  for (const path of readdirSync(join(contractsRoot, folder), { recursive: true, encoding: 'utf8' }).sort()) {
    if (!path.endsWith('.sol')) continue;
    const absolute = join(contractsRoot, folder, path);
    const name = relative(contractsRoot, absolute).split(sep).join('/');
    sources[name] = { content: readFileSync(absolute, 'utf8') };
  }
  return sources;
}

/** Creation code of one contract. Warnings are ignored, because this compiles deliberately faulty sources. */
export function compileInput(input: object, source: string, name: string): Hex {
  const output = runCompiler(input, ({ severity }) => severity === 'error');
  return `0x${output.contracts![source]![name]!.evm.bytecode.object}`;
}

/** The syntax tree of each of our sources, by name. */
export function readTrees(input: StandardInput): Record<string, unknown> {
  const chosen = { ...input, settings: { ...input.settings, outputSelection: { '*': { '': ['ast'] } } } };
  const { sources = {} } = runCompiler(chosen, ({ severity }) => severity === 'error');
  const own = Object.entries(sources).filter(([name]) => name.startsWith('src/'));
  return Object.fromEntries(own.map(([name, { ast }]) => [name, ast]));
}

function runCompiler(input: object, isFaulty: (message: SolcMessage) => boolean): SolcOutput {
  // Required here, because loading the compiler takes a second, which a cached result should not cost.
  const solc: Solc = require('solc');
  const output: SolcOutput = JSON.parse(solc.compile(JSON.stringify(input)));
  const faults = (output.errors ?? []).filter(isFaulty);
  if (faults.length > 0) throw new Error(faults.map((fault) => fault.formattedMessage).join('\n'));
  return output;
}

function compile(input: StandardInput): Artifact[] {
  const output = runCompiler(input, isFault);
  return Object.entries(output.contracts ?? {}).flatMap(([source, contracts]) =>
    Object.entries(contracts).map(([name, contract]) => ({
      source,
      name,
      abi: contract.abi,
      bytecode: `0x${contract.evm.bytecode.object}` as const,
      deployedBytecode: `0x${contract.evm.deployedBytecode.object}` as const,
    })),
  );
}

// A warning about our own sources fails the build. Packages are not ours to fix, and a test contract may have any size.
function isFault(message: SolcMessage): boolean {
  if (message.severity === 'error') return true;
  const file = message.sourceLocation?.file ?? '';
  const isOurs = file.startsWith('src/') || file.startsWith('test/');
  const isTooLargeTest = codeSizeWarnings.includes(message.errorCode ?? '') && file.startsWith('test/');
  return message.severity === 'warning' && isOurs && !isTooLargeTest;
}

/** Names of a source's imports as the compiler knows them. */
export function importsOf(name: string, content: string): string[] {
  const written = [...content.matchAll(/^import\s[^;]*?"([^"]+)";/gm)].map(([, path]) => path!);
  return written.map((path) => (path.startsWith('.') ? posix.join(posix.dirname(name), path) : path));
}

function readImport(path: string): string {
  return readFileSync(path.startsWith('src/') ? join(contractsRoot, path) : require.resolve(path), 'utf8');
}
