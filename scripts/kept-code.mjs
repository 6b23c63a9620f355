// Runs a bundled program with V8's compiled code from an earlier run: compiling megabytes of source took a third of every start.
import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { constants, Script } from 'node:vm';
import { crc32 } from 'node:zlib';

const SEAL_BYTES = 8;
/** Late enough that most functions of a start have run, even on a busy machine: others are not saved, and compiled at every later start. */
const KEEP_AFTER_MS = 20_000;

/**
 * Runs the program in this process. Its compiled code is saved beside it and used as long as both are unchanged, byte
 * for byte.
 */
export function runScript(file) {
  const bytes = readFileSync(file);
  const codeFile = `${file}.code`;
  const cachedData = readCode(codeFile, bytes);
  const script = new Script(
    `(function (exports, require, module, __filename, __dirname, presageImport) {${bytes.latin1Slice()}\n})`,
    {
      filename: file,
      ...(cachedData && { cachedData }),
      importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    },
  );
  // Code that V8 rejects because of other options is kept: runs with the original options should stay fast.
  if (cachedData === undefined) keepOnce(() => keepCode(codeFile, seal(bytes, script.createCachedData())));
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(file), module, file, dirname(file), importByUrl);
  return module.exports;
}

/** Bundles call it by this name: see bundle.mjs. */
function importByUrl(url) {
  return import(url);
}

/** V8 compares only the program's length, and nothing of the code. Checksums detect truncated or mixed-up files; SHA-256 took five times as long at every start. */
function sealOf(program, code) {
  const seal = Buffer.alloc(SEAL_BYTES);
  seal.writeUInt32LE(crc32(program));
  seal.writeUInt32LE(crc32(code), 4);
  return seal;
}

function seal(program, code) {
  return Buffer.concat([sealOf(program, code), code]);
}

function readCode(codeFile, program) {
  try {
    const bytes = readFileSync(codeFile);
    const code = bytes.subarray(SEAL_BYTES);
    return sealOf(program, code).equals(bytes.subarray(0, SEAL_BYTES)) ? code : undefined;
  } catch {
    return undefined;
  }
}

/** Runs soon after the start, or at the exit of a program that ends sooner. */
function keepOnce(keep) {
  const onExit = () => {
    clearTimeout(timer);
    keep();
  };
  const timer = setTimeout(() => {
    process.off('exit', onExit);
    keep();
  }, KEEP_AFTER_MS).unref();
  process.once('exit', onExit);
}

/** Writes atomically, and never makes a program fail: without the file the next start is slower. */
function keepCode(codeFile, contents) {
  const draft = `${codeFile}.${randomUUID()}`;
  try {
    writeFileSync(draft, contents);
    renameSync(draft, codeFile);
  } catch {
    rmSync(draft, { force: true });
  }
}
