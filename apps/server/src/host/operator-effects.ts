// Which of the operators' records still count: of those that set the same thing only the newest does.
import type { OperatorActed, OperatorAction } from '@presage/protocol';

interface OperatorEffect {
  /** What it sets; a later record with the same one replaces it. */
  readonly slot: string;
  /** It only takes back what an earlier one has set: nothing has to be kept of both. */
  readonly isUndone: boolean;
}

/** Empty for an action that leaves nothing to go by: it was done, and is in the audit log. */
export function effectsOf({ action, approval }: Pick<OperatorActed, 'action' | 'approval'>): OperatorEffect[] {
  const used = approval === undefined ? [] : [{ slot: `approval ${approval.id}`, isUndone: true }];
  return [...used, ...ownEffectsOf(action)];
}

function ownEffectsOf(action: OperatorAction): OperatorEffect[] {
  switch (action.kind) {
    case 'add-key':
      return [{ slot: `key ${action.keyId}`, isUndone: false }];
    case 'revoke-key':
      return [{ slot: `key ${action.keyId}`, isUndone: true }];
    case 'create-market':
      return [{ slot: `texts ${action.marketId}`, isUndone: false }, ...creationEffects(action.key)];
    case 'create-event':
      return [{ slot: `event ${action.key ?? action.eventId}`, isUndone: false }];
    case 'edit-market':
      return [{ slot: `texts ${action.marketId}`, isUndone: false }];
    case 'feature-market':
      return [{ slot: `feature ${action.marketId}`, isUndone: !action.isFeatured }];
    // Kept for good: a kill may have come before they were carried out.
    case 'close-market':
      return [{ slot: `close-market ${action.marketId}`, isUndone: false }];
    case 'void-market':
    case 'drop-void':
      return [{ slot: `void-market ${action.marketId}`, isUndone: action.kind === 'drop-void' }];
    case 'pause-market':
      return [{ slot: `pause ${action.marketId}`, isUndone: !action.isPaused }];
    case 'block-wallet':
      return [{ slot: `wallet ${action.wallet}`, isUndone: !action.isBlocked }];
    case 'halt-trading':
      return [{ slot: 'halt', isUndone: !action.isHalted }];
    // Kept when it is removed too: the categories of a new service would be back otherwise.
    case 'define-category':
    case 'remove-category':
      return [{ slot: `category ${action.categoryId}`, isUndone: false }];
    case 'define-template':
    case 'remove-template':
      return [{ slot: `template ${action.templateId}`, isUndone: action.kind === 'remove-template' }];
    case 'schedule-market':
    case 'cancel-schedule':
      return [{ slot: `schedule ${action.scheduleId}`, isUndone: action.kind === 'cancel-schedule' }];
    case 'request-approval':
    case 'reject-approval':
      return [{ slot: `approval ${action.approvalId}`, isUndone: action.kind === 'reject-approval' }];
    case 'retry-webhooks':
    case 'retry-failures':
      return [];
  }
}

/** A market with a key is never created again, and one that was scheduled is scheduled no longer. */
function creationEffects(key: string | undefined): OperatorEffect[] {
  if (key === undefined) return [];
  return [
    { slot: `created ${key}`, isUndone: false },
    { slot: `schedule ${key}`, isUndone: true },
  ];
}
