// Screens and controls in one script that is loaded when the first of them is opened.
export { EventScreen } from '../event/event.tsx';
export { LeaderboardScreen, WalletScreen } from '../leaders/leaderboard.tsx';
export { ProofScreen } from '../proof/proof.tsx';
export { SandboxPanel } from './sandbox-panel.tsx';
