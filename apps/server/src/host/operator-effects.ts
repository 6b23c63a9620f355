// Effects of operators' records: of those that set the same thing only the newest counts.
import type { OperatorActed, OperatorAction } from '@presage/protocol';

interface OperatorEffect {
  /** Key of the setting; a later record with the same slot replaces it. */
  readonly slot: string;
  /** The record only undoes an earlier one, so neither needs to be kept. */
  readonly isUndone: boolean;
}

/** Empty for an action without a lasting effect: it was done, and is in the audit log. */
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
    // Kept for good: after a kill it may still have to be carried out.
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
    // A removal is kept too: without it the categories of a new service would return.
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

/** Records that the key was used, so that the market is not created again, and ends its schedule. */
function creationEffects(key: string | undefined): OperatorEffect[] {
  if (key === undefined) return [];
  return [
    { slot: `created ${key}`, isUndone: false },
    { slot: `schedule ${key}`, isUndone: true },
  ];
}
