// `@presage/sdk/rewards`: what resting orders near the middle of a market have earned. Anyone repeats it from the public journal.
export { type Reward, RewardCount, type RewardEpoch, type RewardTerms } from './reward-count.ts';
