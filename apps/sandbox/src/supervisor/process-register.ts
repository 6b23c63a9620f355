// Registers the processes that run on a data folder: allows one supervisor at a time, and makes it wait for the children of a dead one.
import { mkdirSync, readdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, poll } from '@presage/runtime';
import { nodeProcessProbe, type ProcessIdentity, readFolderIdentity, readStartTicks } from '@presage/runtime/node';
import { StartFault } from './start-fault.ts';

/*
 * Each process is an empty file whose name identifies one run of it, as in the journal's lock. The name appears atomically with the
 * file and belongs to one run only, so anybody may remove the file of a dead process. Of two supervisors that start together, the
 * later one always sees the earlier: both may refuse, but never do both succeed. The name also identifies the folder: files that
 * came along with a copy of the folder belong to the original's processes and do not prevent a start.
 */
type Role = 'supervisor' | 'chain' | 'service' | 'maker';

interface Entry extends ProcessIdentity {
  readonly role: Role;
  readonly file: string;
  /** True if the process runs on the folder that this one was copied from. */
  readonly isCopied: boolean;
}

const FILE_NAME = /^(supervisor|chain|service|maker)-(\d+)-(\d+)-([^~]+)(?:~(.+))?$/;
/** Children check for their parent a few times a second, and then need a moment to close their files. */
const ORPHAN_TIMEOUT_MS = 20_000;

export class ProcessRegister {
  readonly #folder: string;
  readonly #self: ProcessIdentity;
  readonly #foldersMade: readonly string[];

  private constructor(folder: string, self: ProcessIdentity, foldersMade: readonly string[]) {
    this.#folder = folder;
    this.#self = self;
    this.#foldersMade = foldersMade;
  }

  static async open(dataDir: string): Promise<ProcessRegister> {
    const folder = join(dataDir, 'processes');
    const self = await nodeProcessProbe.self();
    const register = new ProcessRegister(folder, self, [dataDir, folder].filter(makeFolder).reverse());
    register.#write('supervisor', self);
    try {
      await register.#refuseOthers(dataDir);
      return register;
    } catch (error) {
      register.close();
      throw error;
    }
  }

  /** Registers a child, so that the next supervisor can wait for its end if this one is killed. */
  add(role: Role, pid: number): void {
    this.#write(role, { pid, startTicks: readStartTicks(pid), bootId: this.#self.bootId });
  }

  /** A file that cannot be removed, as on a failing disk, does no harm: the next start sees that its process has ended. */
  remove(pid: number): void {
    try {
      for (const entry of this.#list()) if (entry.pid === pid) rmSync(entry.file, { force: true });
    } catch {
      return;
    }
  }

  /** Also removes the folders that this register created, if they are empty. */
  close(): void {
    this.remove(this.#self.pid);
    for (const folder of this.#foldersMade) {
      try {
        rmdirSync(folder);
      } catch {
        return;
      }
    }
  }

  async #refuseOthers(dataDir: string): Promise<void> {
    const { pid, startTicks } = this.#self;
    for (const { isCopied, file } of this.#list()) if (isCopied) rmSync(file, { force: true });
    const others = this.#list().filter((entry) => entry.pid !== pid || entry.startTicks !== startTicks);
    for (const { role, file: _file, isCopied: _isCopied, ...identity } of others) {
      if (role === 'supervisor' && (await nodeProcessProbe.isAlive(identity))) throw toRunning(dataDir, identity.pid);
    }
    for (const entry of others) {
      await awaitEnd(entry);
      rmSync(entry.file, { force: true });
    }
  }

  #write(role: Role, { pid, startTicks, bootId }: ProcessIdentity): void {
    const here = readFolderIdentity(this.#folder);
    const file = join(this.#folder, `${role}-${pid}-${startTicks}-${bootId}${here === undefined ? '' : `~${here}`}`);
    try {
      writeFileSync(file, '');
    } catch (error) {
      throw toUnusable(this.#folder, error);
    }
  }

  #list(): Entry[] {
    const here = readFolderIdentity(this.#folder);
    return readdirSync(this.#folder).flatMap((name) => {
      const [, role, pid, startTicks, bootId, folder] = FILE_NAME.exec(name) ?? [];
      if (role === undefined || bootId === undefined) return [];
      const identity = { pid: Number(pid), startTicks: Number(startTicks), bootId };
      const isCopied = here !== undefined && folder !== undefined && folder !== here;
      // The pattern admits only roles.
      return [{ ...identity, role: role as Role, file: join(this.#folder, name), isCopied }];
    });
  }
}

/** True if the folder was created. */
function makeFolder(folder: string): boolean {
  try {
    return mkdirSync(folder, { recursive: true }) !== undefined;
  } catch (error) {
    throw toUnusable(folder, error);
  }
}

async function awaitEnd({ role, pid, startTicks, bootId }: Entry): Promise<void> {
  const hasEnded = async () => !(await nodeProcessProbe.isAlive({ pid, startTicks, bootId }));
  if (await poll(hasEnded, { timeoutMs: ORPHAN_TIMEOUT_MS })) return;
  throw new StartFault(`The ${role} of an earlier start still runs as process ${pid}. End it: kill ${pid}`);
}

function toRunning(dataDir: string, pid: number): StartFault {
  return new StartFault(
    `Presage already runs on ${dataDir} as process ${pid}. Stop it (kill ${pid}), or start a second one with another folder and port:\n` +
      '  PRESAGE_DATA_DIR=./data-2 PRESAGE_PORT=8081 npm start',
  );
}

function toUnusable(folder: string, error: unknown): StartFault {
  return new StartFault(
    `The data folder cannot be used (${messageOf(error)}). Choose another than ${folder}: PRESAGE_DATA_DIR=... npm start`,
  );
}
