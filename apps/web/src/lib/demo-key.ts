// Creates and opens the key of a demo wallet; a separate file so that it is loaded only when needed.
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

export { generatePrivateKey, privateKeyToAccount };
