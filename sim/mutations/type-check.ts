// Type-checks a changed file with a compiler that stays in memory, because starting one takes longer than most tests.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { applyChange } from '../bundle.ts';
import type { Mutation } from './mutation.ts';

export class TypeCheck {
  readonly #root: string;
  readonly #service: ts.LanguageService;
  #changed: { readonly path: string; readonly text: string } | undefined;
  #changes = 0;

  constructor(root: string) {
    this.#root = root;
    const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
    const include = ['apps/server/src'];
    const { fileNames, options } = ts.parseJsonConfigFileContent({ ...config, include }, ts.sys, root);
    const textOf = (path: string) => (path === this.#changed?.path ? this.#changed.text : ts.sys.readFile(path));
    this.#service = ts.createLanguageService({
      getCompilationSettings: () => options,
      getScriptFileNames: () => fileNames,
      getScriptVersion: (path) => (path === this.#changed?.path ? `changed ${this.#changes}` : 'as it is'),
      getScriptSnapshot: (path) => {
        const text = textOf(path);
        return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
      },
      getCurrentDirectory: () => root,
      getDefaultLibFileName: ts.getDefaultLibFilePath,
      fileExists: ts.sys.fileExists,
      readFile: ts.sys.readFile,
      readDirectory: ts.sys.readDirectory,
    });
  }

  /** Checks only the file itself: faults rarely change types of other files, and a test notices those too. */
  accepts(fault: Mutation): boolean {
    const path = join(this.#root, fault.file);
    this.#changed = { path, text: applyChange(fault, readFileSync(path, 'utf8')) };
    this.#changes++;
    const { length } = [...this.#service.getSyntacticDiagnostics(path), ...this.#service.getSemanticDiagnostics(path)];
    return length === 0;
  }
}
