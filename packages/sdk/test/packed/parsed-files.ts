// Files that one TypeScript program has parsed, for the next: reading the types of viem, typebox and Node takes as long as checking ours against them.
import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const MODULES = fileURLToPath(new URL('../../../../node_modules/', import.meta.url));

export class ParsedFiles {
  readonly #files = new Map<string, ts.SourceFile>();

  /** All programs must agree in what the options say of parsing and binding: target, module and strictness. */
  readonly hostOf = (options: ts.CompilerOptions): ts.CompilerHost => {
    const host = ts.createCompilerHost(options);
    return {
      ...host,
      realpath: (path) => nameOf(host.realpath?.(path) ?? path),
      getSourceFile: (name, ...rest) => {
        const file = this.#files.get(name) ?? host.getSourceFile(name, ...rest);
        if (file !== undefined) this.#files.set(name, file);
        return file;
      },
    };
  };

  clear(): void {
    this.#files.clear();
  }
}

/** A hard link to a file of the repository is that file, and goes by its name there. */
function nameOf(path: string): string {
  const name = path.replace(/^.*?\/node_modules\//, MODULES);
  const there = statSync(name, { throwIfNoEntry: false });
  if (there === undefined) return path;
  const here = statSync(path);
  return here.ino === there.ino && here.dev === there.dev ? name : path;
}
