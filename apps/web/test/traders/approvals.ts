// Actions that wait for a second operator, on the operator's screen: the key that asked cannot confirm, and may take it back.
import { ApprovalPending, createOperatorClient } from '@presage/sdk/operator';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { dismissMessages, openScreen, TIMEOUT, textOf } from '../page-actions.ts';
import type { Place, Visitor } from '../place.ts';

export function testApprovals(place: Place, visitor: Visitor): void {
  describe('an action that waits for a second operator', () => {
    it('is shown with who asked for what, and is answered there', async () => {
      const { url, controls, reader } = place.sandbox;
      const operator = createOperatorClient({ url, key: await controls.getOperatorKey() });
      const { now } = await reader.getTime();
      const draft = { question: 'Do two agree?', expiration: now + 86_400, draft: true };
      const pending = await operator.createMarket(draft, { reason: 'a trial' }).catch((error: unknown) => error);
      expect(pending).toBeInstanceOf(ApprovalPending);
      const page: Page = (await visitor.open('/')).page;
      await openScreen(page, '/operator');
      await page.getByTestId('approve').waitFor(TIMEOUT);
      const shown = await textOf(page, 'approvals');
      expect(shown).toContain('create market question Do two agree?');
      expect(shown).toMatch(/sandbox, until .*: a trial/);
      await page.getByTestId('approve').click();
      await page
        .getByTestId('toast')
        .filter({ hasText: 'The operator key that asked cannot confirm' })
        .waitFor(TIMEOUT);
      await dismissMessages(page);
      await page.getByTestId('reject').click();
      await page.getByTestId('approvals').waitFor({ ...TIMEOUT, state: 'detached' });
      expect((await operator.listApprovals()).count).toBe(0);
    });
  });
}
