// Whether this machine has Python: tests of programs in it are skipped where it has none.
import { execFileSync } from 'node:child_process';

export function hasPython(): boolean {
  try {
    execFileSync('python3', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
