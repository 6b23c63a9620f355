// The hash of the code that fills the view, computed once when the program is bundled instead of at every start.
import { hashFold } from './fold-hash.ts';

export const FOLD_HASH = await hashFold();
