// The chain id of a sandbox's first chain; further ones count on from it.

export const FIRST_CHAIN_ID = 31337;
