import type { BuildOptions, BuildResult, Plugin } from 'esbuild';

export interface BundleOptions {
  readonly source: string;
  readonly file: string;
  readonly format: 'cjs' | 'esm';
  readonly home?: string;
}

export const BUILT: Plugin;
export function bundle(options: BundleOptions): Promise<BuildResult<BuildOptions & { metafile: true; write: false }>>;
