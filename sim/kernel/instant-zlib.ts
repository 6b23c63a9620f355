// Synchronous compression: on its own threads it would finish at unpredictable times. Must be imported before every
// module that uses it.
import { createRequire, syncBuiltinESMExports } from 'node:module';
import type * as Zlib from 'node:zlib';

type Done = (error: Error | null, result: Buffer) => void;

const zlib = createRequire(import.meta.url)('node:zlib') as Record<string, unknown> & typeof Zlib;
const { brotliCompressSync, brotliDecompressSync } = zlib;

function atOnce(work: (bytes: Uint8Array, options?: Zlib.BrotliOptions) => Buffer) {
  return (bytes: Uint8Array, ...rest: [Done] | [Zlib.BrotliOptions, Done]) => {
    const done = rest.at(-1) as Done;
    const options = rest.length === 2 ? rest[0] : undefined;
    try {
      done(null, work(bytes, options));
    } catch (error) {
      done(error as Error, Buffer.alloc(0));
    }
  };
}

Object.assign(zlib, { brotliCompress: atOnce(brotliCompressSync), brotliDecompress: atOnce(brotliDecompressSync) });
syncBuiltinESMExports();
