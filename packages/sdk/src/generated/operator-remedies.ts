// The status of every error of the operators' endpoints alone, whether to retry, and what to do about it. Made from the catalogue by `npm run gen`; do not edit.

export const OPERATOR_REMEDIES: Readonly<Record<string, readonly [status: number, isRetryable: 0 | 1, remedy: string]>> = {
  token_for_other_request: [401, 0, "Sign service, method, path and bodyHash of this request into the token; details.field names the one that differs."],
  right_missing: [403, 0, "details.right names what it lacks; ask for a key that has it."],
  operator_key_fixed: [409, 0, "Take it out of PRESAGE_OPERATOR_KEYS and start again."],
  last_operator_key: [409, 0, "Add another one with the right keys first."],
  operator_key_not_found: [404, 0, "GET /admin/v1/keys lists them."],
  market_has_traded: [409, 0, "Category and picture can still be changed; for another question make another market."],
  creator_not_configured: [409, 0, "Give the chain a creatorKey that has the role CREATOR_ROLE."],
  not_voidable: [409, 0, "details.voidableFrom says from when on; before, propose outcome 2."],
  approval_not_found: [404, 0, "It was confirmed, rejected, or its key was revoked. GET /admin/v1/approvals lists those that wait."],
  approval_expired: [409, 0, "Ask for the action again."],
  approval_by_requester: [403, 0, "Confirm with the key of another operator."],
  too_many_approvals: [409, 0, "Confirm or reject some of GET /admin/v1/approvals first."],
  template_not_found: [404, 0, "GET /admin/v1/templates lists them."],
  schedule_not_found: [404, 0, "It was created or cancelled. GET /admin/v1/schedule lists those that wait."],
  too_many_plans: [409, 0, "Remove some of them first."],
  category_not_found: [404, 0, "GET /api/v1/categories lists them."],
  category_fixed: [409, 0, "Rename it, or remove another one."],
};
