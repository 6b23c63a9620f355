// Starts a chain process, prints its pid and waits to be killed: the parent in the test of what orphans do.
import { openChainProcess } from '../../testkit/src/chain-process.ts';

const chain = await openChainProcess({ dataDir: process.argv[2]! });
console.log(chain.pid);
setInterval(() => {}, 60_000);
