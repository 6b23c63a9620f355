// Types of kept-files.mjs, which is JavaScript because starts run it before anything can read TypeScript.
export function keepFile(file: string, contents: string | Uint8Array): Promise<void>;
export function marksOf(files: readonly string[], folder: string): Readonly<Record<string, string | undefined>>;
export function areMarksCurrent(marksFile: string): Promise<boolean>;
