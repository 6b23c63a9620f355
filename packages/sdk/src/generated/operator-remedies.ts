// The status of every error of the operators' endpoints alone, whether to retry, and what to do about it. Made from the catalogue by `npm run gen`; do not edit.

export const OPERATOR_REMEDIES: Readonly<Record<string, readonly [status: number, isRetryable: 0 | 1, remedy: string]>> = {
  token_for_other_request: [401, 0, "Sign service, method, path and bodyHash of this request into the token; details.field names the one that differs."],
  right_missing: [403, 0, "Use a key that has details.right; an operator with the right keys grants it."],
  operator_key_fixed: [409, 0, "Remove it from PRESAGE_OPERATOR_KEYS and restart the service."],
  last_operator_key: [409, 0, "Give another key that right first."],
  operator_key_not_found: [404, 0, "GET /admin/v1/keys lists them."],
  market_has_traded: [409, 0, "Category and picture can still be changed; for another question make another market."],
  creator_not_configured: [409, 0, "Set creatorKey in the chains file to a key that has CREATOR_ROLE, and restart the service."],
  not_voidable: [409, 0, "Before details.voidableFrom propose outcome 2. A quick market without an end price voids itself."],
  approval_not_found: [404, 0, "It was confirmed or rejected, or the key that asked was revoked. GET /admin/v1/approvals lists those that wait."],
  approval_expired: [409, 0, "Ask for the action again."],
  approval_by_requester: [403, 0, "Confirm with the key of another operator."],
  too_many_approvals: [409, 0, "Confirm or reject some of GET /admin/v1/approvals first."],
  template_not_found: [404, 0, "GET /admin/v1/templates lists them."],
  schedule_not_found: [404, 0, "It was created or cancelled already. GET /admin/v1/schedule lists those that wait."],
  too_many_plans: [409, 0, "Remove some of them first."],
  category_not_found: [404, 0, "GET /api/v1/categories lists them."],
  category_fixed: [409, 0, "Rename it, or remove another one."],
};
