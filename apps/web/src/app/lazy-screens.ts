// What is loaded when somebody first opens it, in one script: parts that few visits need, or that need more than the first load.
export { Convert } from '../event/convert.tsx';
export { EventScreen } from '../event/event.tsx';
export { LeaderboardScreen, WalletScreen } from '../leaders/leaderboard.tsx';
export { ProofScreen } from '../proof/proof.tsx';
