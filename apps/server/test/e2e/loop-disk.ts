// A small disk of its own for a test: a real file system that can be filled to the last byte, and whose power can be cut.
import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, statfs, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { waitFor } from '@presage/testkit';

const run = promisify(execFile);

/**
 * EXT4_IOC_SHUTDOWN with NOLOGFLUSH: from this moment nothing reaches the disk, neither what waits in the page cache nor the file
 * system's own journal. Node has no ioctl; every Linux that has ext4 tools has Perl.
 */
const CUT = 'open(my $f, "<", $ARGV[0]) or die $!; ioctl($f, 0x8004587d, my $how = pack("L", 2)) or die $!;';

export class LoopDisk {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Undefined where this machine does not allow it, with the reason said loudly. */
  static async open(megabytes: number): Promise<LoopDisk | undefined> {
    const folder = await mkdtemp(join(tmpdir(), 'presage-disk-'));
    const disk = new LoopDisk(folder);
    try {
      await chmod(folder, 0o711);
      await mkdir(disk.path);
      await writeFile(disk.#image, '');
      await truncate(disk.#image, megabytes * 2 ** 20);
      await run('mkfs.ext4', ['-q', '-m', '0', disk.#image]);
      await disk.mount();
      await chmod(disk.path, 0o711);
      return disk;
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      process.stderr.write(
        `\n*** SKIPPED: no disk could be mounted (root, loop devices and ext4 are needed), so NO POWER CUT AND NO FULL DISK WAS TRIED: ${error}\n\n`,
      );
      return undefined;
    }
  }

  get path(): string {
    return join(this.#folder, 'mount');
  }

  get #image(): string {
    return join(this.#folder, 'image');
  }

  async mount(): Promise<void> {
    await run('mount', ['-o', 'loop', this.#image, this.path]);
  }

  /** Resolves when nobody uses it any more. */
  async unmount(): Promise<void> {
    const isDone = () =>
      run('umount', [this.path]).then(
        () => true,
        () => false,
      );
    await waitFor('the disk is unmounted', isDone, { timeoutMs: 120_000 });
  }

  async cutPower(): Promise<void> {
    await run('perl', ['-e', CUT, this.path]);
  }

  /** Leaves so many bytes free, until it is emptied again: none at all is a file that is written until the disk refuses. */
  async fill(free: number): Promise<void> {
    const ballast = join(this.path, `ballast-${free}`);
    if (free === 0) {
      await run('sh', ['-c', 'cat /dev/zero > "$0" 2>&- || true', ballast]);
      return;
    }
    const { bavail, bsize } = await statfs(this.path);
    await run('fallocate', ['-l', String(Math.max(4_096, bavail * bsize - free)), ballast]);
  }

  /** For good: what a power cut took back would fill the disk again. */
  async empty(): Promise<void> {
    await run('sh', ['-c', 'rm -f "$0"/ballast-* && sync -f "$0"', this.path]);
  }

  /** Makes every write and every new name below a folder fail with EPERM, also through files that are open, or undoes it. */
  async protect(folder: string, isProtected: boolean): Promise<void> {
    await run('chattr', ['-R', isProtected ? '+i' : '-i', folder]);
  }

  async close(): Promise<void> {
    await this.unmount();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
