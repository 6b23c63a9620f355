// Which of the operators' records still count: of those that set the same thing only the newest does.
import type { OperatorAction } from '@presage/protocol';

interface OperatorEffect {
  /** What it sets; a later record with the same one replaces it. */
  readonly slot: string;
  /** It only takes back what an earlier one has set: nothing has to be kept of both. */
  readonly isUndone: boolean;
}

/** Undefined of what leaves nothing to go by: it was done, and stands in the audit log. */
export function effectOf(action: OperatorAction): OperatorEffect | undefined {
  switch (action.kind) {
    case 'add-key':
      return { slot: `key ${action.keyId}`, isUndone: false };
    case 'revoke-key':
      return { slot: `key ${action.keyId}`, isUndone: true };
    case 'create-market':
    case 'edit-market':
      return { slot: `texts ${action.marketId}`, isUndone: false };
    case 'feature-market':
      return { slot: `feature ${action.marketId}`, isUndone: !action.isFeatured };
    case 'pause-market':
      return { slot: `pause ${action.marketId}`, isUndone: !action.isPaused };
    case 'block-wallet':
      return { slot: `wallet ${action.wallet}`, isUndone: !action.isBlocked };
    case 'halt-trading':
      return { slot: 'halt', isUndone: !action.isHalted };
    // Kept when it is removed too: the categories of a new service would be back otherwise.
    case 'define-category':
    case 'remove-category':
      return { slot: `category ${action.categoryId}`, isUndone: false };
    case 'close-market':
    case 'void-market':
    case 'retry-webhooks':
    case 'retry-failures':
      return undefined;
  }
}
