// Tools that need Node: atomic file writes, processes and ports.

export { ALLOCATOR_SETTINGS } from './allocator-settings.ts';
export { collectGarbage } from './collect-garbage.ts';
export { isErrorCode } from './error-code.ts';
export { readFolderIdentity } from './folder-identity.ts';
export { findFreePort, portOf } from './free-port.ts';
export { IdleCollector } from './idle-collector.ts';
export { readOrMakeSecret } from './kept-secret.ts';
export { isLoopback } from './loopback.ts';
export { argumentFault, refuseArguments } from './no-arguments.ts';
export { watchParent } from './parent-watch.ts';
export { makePrivateFolder, PRIVATE_FILE } from './private-folder.ts';
export {
  isProcessRunning,
  nodeProcessProbe,
  type ProcessIdentity,
  type ProcessProbe,
  readStartTicks,
} from './process-identity.ts';
export { syncDirectory } from './sync-directory.ts';
export { readFileIfPresent, writeFileAtomically } from './whole-file.ts';
