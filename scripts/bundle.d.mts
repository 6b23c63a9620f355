// Types of bundle.mjs, which is JavaScript because starts run it before anything can read TypeScript.
import type { Metafile, Plugin } from 'esbuild';

export interface BundleOptions {
  readonly source: string;
  readonly name: string;
  readonly home?: string;
  readonly plugins?: readonly Plugin[];
}

export interface Bundle {
  readonly file: string;
  readonly contents: Uint8Array;
  readonly inputs: Metafile['inputs'];
}

export const BUILT: Plugin;
export function bundle(options: BundleOptions): Promise<Bundle>;
