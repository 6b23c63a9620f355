// Files of a journal's folder that are named by their sequence, such as checkpoint-0000000000012345.
import type { JournalFolder } from './mark.ts';

const DIGITS = 16;

export class NumberedFiles {
  readonly #folder: JournalFolder;
  readonly #kind: string;
  readonly #name: RegExp;

  constructor(folder: JournalFolder, kind: string) {
    this.#folder = folder;
    this.#kind = kind;
    this.#name = new RegExp(`^${kind}-(\\d{${DIGITS}})$`);
  }

  nameOf(seq: number): string {
    return `${this.#kind}-${String(seq).padStart(DIGITS, '0')}`;
  }

  seqOf(name: string): number {
    return Number(this.#name.exec(name)?.[1]);
  }

  async newestFirst(): Promise<string[]> {
    const names = await this.#folder.files.list(this.#folder.dir);
    return names
      .filter((name) => this.#name.test(name))
      .sort()
      .reverse();
  }

  /** Removes all but the newest `count`. */
  async keepNewest(count: number): Promise<void> {
    const { files, dir } = this.#folder;
    for (const name of (await this.newestFirst()).slice(count)) await files.remove(`${dir}/${name}`);
  }
}
