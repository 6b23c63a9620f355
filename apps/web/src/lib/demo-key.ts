// Making and opening the key of a demo wallet; a file of its own so that only these two functions are loaded for it.
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

export { generatePrivateKey, privateKeyToAccount };
