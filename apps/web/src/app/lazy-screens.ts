// Screens and controls that are loaded when somebody first opens one of them, in one script.
export { EventScreen } from '../event/event.tsx';
export { LeaderboardScreen, WalletScreen } from '../leaders/leaderboard.tsx';
export { ProofScreen } from '../proof/proof.tsx';
export { SandboxPanel } from './sandbox-panel.tsx';
