// The first block whose state can be saved. Separate from the node, whose module is large, for programs that only start
// the chain.

/** The node skips blocks only when there are enough of them. */
export const LEAST_ORIGIN_NUMBER = 64;
