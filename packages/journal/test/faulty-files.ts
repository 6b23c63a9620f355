// Real files behind a port that can be set to fail, to write short, or to count.

import { type JournalFile, type JournalFiles, nodeFiles } from '../src/index.ts';

export type FileOperation = 'write' | 'datasync' | 'rename' | 'syncDir' | 'create';

export class FaultyFiles implements JournalFiles {
  /** Asked before each operation; an error returned is thrown in its place. */
  fault: (operation: FileOperation, path: string) => Error | undefined = () => undefined;
  /** At most this many bytes are taken by one write. */
  writeLimit = Number.POSITIVE_INFINITY;

  list = nodeFiles.list;
  makeDir = nodeFiles.makeDir;
  remove = nodeFiles.remove;
  modifiedMs = nodeFiles.modifiedMs;

  async open(path: string, mode: 'read' | 'write' | 'create'): Promise<JournalFile> {
    if (mode === 'create') this.#check('create', path);
    const file = await nodeFiles.open(path, mode);
    return {
      read: (target, position) => file.read(target, position),
      size: () => file.size(),
      close: () => file.close(),
      write: async (source, position) => {
        this.#check('write', path);
        return file.write(source.subarray(0, Math.min(source.length, this.writeLimit)), position);
      },
      datasync: async () => {
        this.#check('datasync', path);
        await file.datasync();
      },
    };
  }

  async rename(from: string, to: string): Promise<void> {
    this.#check('rename', to);
    await nodeFiles.rename(from, to);
  }

  async syncDir(dir: string): Promise<void> {
    this.#check('syncDir', dir);
    await nodeFiles.syncDir(dir);
  }

  /** The next such operation fails, later ones do not: what a retry would fall for. */
  failOnce(operation: FileOperation, error: Error): void {
    this.fault = (current) => {
      if (current !== operation) return undefined;
      this.fault = () => undefined;
      return error;
    };
  }

  #check(operation: FileOperation, path: string): void {
    const error = this.fault(operation, path);
    if (error) throw error;
  }
}
