// Screens that few people open, in one script that is loaded when somebody does.
export { LeaderboardScreen, WalletScreen } from '../leaders/leaderboard.tsx';
export { ProofScreen } from '../proof/proof.tsx';
