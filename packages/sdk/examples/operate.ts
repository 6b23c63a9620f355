// What an operator does in a day: lists a market, mends its text, pauses and resumes it, and reads who did what.
import { createPublicClient, createSandboxClient } from '@presage/sdk';
import { ApprovalPending, createOperatorClient } from '@presage/sdk/operator';

const url = process.env.PRESAGE_URL ?? 'http://127.0.0.1:8080';
// In live: the admin address, and a key that an operator was given.
const operator = createOperatorClient({ url, key: await createSandboxClient({ url }).getOperatorKey() });
const reader = createPublicClient({ url });

export const me = await operator.getOperator();
await operator.defineCategory('weather', 'Weather');
const { now } = await reader.getTime();
const { marketId } = await operator.createMarket({
  question: 'Will it snow in Lisbon this winter?',
  source: 'https://www.ipma.pt',
  category: 'weather',
  expiration: now + 90 * 86_400,
});
await operator.editMarket(marketId, { question: 'Will it snow in Lisbon before March?' }, { reason: 'clearer' });
await operator.featureMarket(marketId, true);
await operator.pauseMarket(marketId, true, { reason: 'the source is down' });
await operator.pauseMarket(marketId, false);
export const market = await reader.getMarket(marketId);

const { eventId } = await operator.createEvent({
  question: 'Which city has snow first?',
  outcomes: ['Lisbon', 'Porto', 'Faro', 'None of them'],
  category: 'weather',
  expiration: now + 90 * 86_400,
});
await operator.editEvent(eventId, { question: 'Which city has snow first before March?' }, { reason: 'clearer' });
await operator.pauseEvent(eventId, true, { reason: 'the source is down' });
await operator.pauseEvent(eventId, false);
export const event = await operator.closeEvent(eventId, { reason: 'it has snowed' });

await operator.defineTemplate({ id: 'match', question: 'Does {home} beat {away}?', expires: 7 * 86_400 });
export const { templates } = await operator.listTemplates();
const match = { template: 'match', values: { home: 'Ajax', away: 'PSV' }, key: 'round-1-ajax-psv' };
export const checked = await operator.checkMarket(match);
await operator.createMarket(match);
// The same key is the same market, however often it is sent.
export const again = await operator.createMarket(match);
const { scheduleId } = await operator.scheduleMarket({ ...match, key: 'round-2-ajax-psv', listAt: now + 86_400 });
export const { scheduled } = await operator.listSchedule();
await operator.cancelSchedule(scheduleId);
await operator.removeTemplate('match');

// A draft waits for the key of another operator, who calls confirmApproval.
const draft = { question: 'Is it a draft?', expiration: now + 86_400, draft: true };
const pending = await operator.createMarket(draft).catch((error: unknown) => error);
if (!(pending instanceof ApprovalPending)) throw pending;
export const { approvals } = await operator.listApprovals();
const { approvalId } = pending.approval;
export const own = await operator.confirmApproval(approvalId).catch((error: Error) => error);
await operator.rejectApproval(approvalId, { reason: 'not yet' });

await operator.haltTrading(true, { reason: 'maintenance' });
export const controls = await operator.getTradingControls();
await operator.haltTrading(false);
const wallet = '0x00000000000000000000000000000000000000aa';
await operator.blockWallet(wallet, true, { reason: 'a court order' });
await operator.blockWallet(wallet, false);

const helper = await operator.addOperatorKey({ name: 'night watch', rights: ['read', 'trading'] });
export const { keys } = await operator.listOperatorKeys();
await operator.revokeOperatorKey(helper.keyId);

export const failures = await operator.listFailures();
await operator.retryFailures({ reason: 'the node is back' });
export const webhooks = await operator.getWebhooks();
await operator.retryWebhooks();
export const { revenue } = await operator.listRevenue({ limit: 100 });
await operator.closeMarket(marketId, { reason: 'it has snowed' });
export const refusal = await operator.voidMarket(marketId).catch((error: Error) => error);
await operator.removeCategory('weather');
export const { categories } = await reader.listCategories();
export const { actions } = await operator.listActions({ subject: marketId });
for (const { actorName, kind, reason } of actions) console.log(`${actorName} ${kind} ${reason}`);
