// Whether Python is installed: tests of Python programs are skipped without it.
import { execFileSync } from 'node:child_process';

export function hasPython(): boolean {
  try {
    execFileSync('python3', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
