// `@presage/sdk/rewards`: rewards of resting orders near the middle of a market, which anyone can recompute from the
// public journal.
export { type Reward, RewardCount, type RewardEpoch, type RewardTerms } from './reward-count.ts';
