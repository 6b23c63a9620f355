/** Every program that the service or the sandbox runs in its own process or thread, by its path in the repository. */
export const PROGRAMS = [
  'apps/server/src/main.ts',
  'apps/sandbox/src/main.ts',
  'apps/sandbox/src/maker/main.ts',
  'packages/devchain/src/main.ts',
  'packages/signers/src/signature-worker.ts',
];
