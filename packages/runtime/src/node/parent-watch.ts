// Ends a child process when its parent dies, however it dies.

const CHECK_EVERY_MS = 200;

/**
 * Watches the parent's pid: the kernel gives an orphan another parent at once, even after kill -9. A pipe on stdin
 * would work only while no other process inherits its other end, and would end a chain started by hand with stdin
 * closed. `expectedPid`, given by the starting process, also covers a parent that died before this line ran.
 */
export function watchParent(onDeath: () => void, expectedPid: number = process.ppid): () => void {
  const timer = setInterval(() => {
    if (process.ppid === expectedPid) return;
    clearInterval(timer);
    onDeath();
  }, CHECK_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}
