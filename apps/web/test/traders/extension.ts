// A wallet extension that is announced by EIP-6963: found by name, followed when its account or chain changes, asked on the right chain, and asked for nothing but signatures.
import { walletOf } from '@presage/testkit';
import type { Page } from 'playwright-core';
import { createWalletClient, http, parseEther } from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Visit } from '../browser.ts';
import { type Extension, giveProvider } from '../injected-provider.ts';
import { dismissMessages, nameOwnPrice, openScreen, seeLiveBook, TIMEOUT } from '../page-actions.ts';
import type { Place } from '../place.ts';

const MARKET_SECONDS = 3_600;
/** The fifth published key arbitrates in a place.sandbox. */
const ARBITRATOR = mnemonicToAccount('test test test test test test test test test test test junk', {
  addressIndex: 4,
});

export function testExtension(place: Place): void {
  describe('a wallet extension', () => {
    const [first, second] = [walletOf('first account'), walletOf('second account')];
    let visit: Visit;
    let page: Page;
    let extension: Extension;
    let chainId: number;
    let marketId: string;

    beforeAll(async () => {
      chainId = (await place.sandbox.reader.getConfig()).chains[0]?.chainId ?? 0;
      marketId = (await place.sandbox.newMarket('Is the extension asked on the right chain?')).id;
      await place.sandbox.quote(marketId);
      await place.sandbox.controls.fund(first.address, '100');
      await place.sandbox.controls.fund(second.address, '222');
      visit = await place.browser.visit('about:blank');
      page = visit.page;
      extension = await giveProvider(page, first, place.sandbox.process.rpcUrl);
      await page.goto(`${place.sandbox.url}/m/${marketId}`);
      await seeLiveBook(page);
    });

    const giveGasMoney = async (to: `0x${string}`) => {
      const rich = createWalletClient({ account: ARBITRATOR, transport: http(place.sandbox.process.rpcUrl) });
      await rich.sendTransaction({ to, value: parseEther('1'), chain: null });
    };
    const purse = (text: string) => page.getByTestId('wallet').filter({ hasText: text }).waitFor(TIMEOUT);
    /** An order that rests, so that nothing but the signature matters. */
    const typeOrder = async () => {
      await nameOwnPrice(page, '20');
      await page.getByTestId('size').fill('2');
      await page.locator('[data-testid=submit][data-state=ready]').waitFor(TIMEOUT);
    };
    const expectCheckedFirst = (calls: readonly string[]) => {
      const signed = calls.findIndex((method) => /sign/i.test(method));
      expect(signed).toBeGreaterThan(0);
      expect(calls.slice(0, signed)).toContain('eth_chainId');
    };

    it('is found by its name, and opened without a signature', async () => {
      await page.getByTestId('wallet').click();
      await page.getByTestId('open-injected').filter({ hasText: 'Test Wallet' }).click();
      await page.keyboard.press('Escape');
      await purse('$100.00');
      expect(extension.calls.filter((method) => /sign/i.test(method))).toEqual([]);
    });

    it('that refuses to change its chain is answered in plain words, and nothing is sent', async () => {
      await typeOrder();
      extension.isRefusing = true;
      await page.getByTestId('submit').click();
      const refusal = page.locator('[data-testid=toast][data-tone=bad]');
      await refusal.filter({ hasText: 'You did not sign. Nothing was sent.' }).getByRole('button').click(TIMEOUT);
      extension.isRefusing = false;
      expect(extension.calls).toContain('wallet_switchEthereumChain');
      expect(extension.calls.filter((method) => /sign/i.test(method))).toEqual([]);
      expect((await place.sandbox.reader.listOrders(first.address)).count).toBe(0);
      expect(await page.getByTestId('size').inputValue()).toBe('2');
    });

    it('trades as other wallets do: setup and orders need only its signatures', async () => {
      extension.calls.length = 0;
      await page.getByTestId('wallet').click();
      await page.getByTestId('set-up').click(TIMEOUT);
      await page.locator('[data-testid=setup][data-state=ready]').waitFor(TIMEOUT);
      await page.keyboard.press('Escape');
      // On the exchange's chain before the first signature.
      const firstSignature = extension.calls.findIndex((method) => /sign/i.test(method));
      const firstSwitch = extension.calls.indexOf('wallet_switchEthereumChain');
      expect(firstSwitch).toBeGreaterThan(-1);
      expect(firstSwitch).toBeLessThan(firstSignature);
      await page.getByTestId('ask-0').click();
      await page.getByTestId('unit').click();
      await page.getByTestId('size').fill('10');
      extension.isRefusing = true;
      await page.getByTestId('submit').click();
      const refusal = page.locator('[data-testid=toast][data-tone=bad]');
      await refusal.filter({ hasText: 'You did not sign. Nothing was sent.' }).getByRole('button').click(TIMEOUT);
      extension.isRefusing = false;
      expect(await page.getByTestId('size').inputValue()).toBe('10');
      await page.getByTestId('submit').click();
      await page.locator('[data-testid=order-life][data-stage=settled]').waitFor(TIMEOUT);
      expect(await place.sandbox.reader.getPosition(marketId, first.address)).toMatchObject({ yesShares: 10_000_000 });
      expect(extension.calls).not.toContain('eth_sendTransaction');
      await page.getByTestId('unit').click();
    });

    it('is on the right chain before every signature, also after its user has changed it', async () => {
      for (const orders of [1, 2]) {
        extension.calls.length = 0;
        await typeOrder();
        await page.getByTestId('submit').click();
        await page.locator('[data-testid=size][value=""]').waitFor(TIMEOUT);
        expectCheckedFirst(extension.calls);
        expect(Number(extension.chainId)).toBe(chainId);
        const count = async () => (await place.sandbox.reader.listOrders(first.address)).count;
        await expect.poll(count, { timeout: 120_000 }).toBe(orders);
        await extension.pickChain('0x1');
      }
    });

    it('is followed to another account', async () => {
      await extension.pickAccount(second);
      await purse('$222.00');
      await page.getByTestId('tab-orders').click();
      await page.getByText('No open orders.').waitFor(TIMEOUT);
    });

    it('disputes a proposal with its own bond and gas, and its arbitrator decides, each on the right chain', async () => {
      const { id } = await place.sandbox.newMarket('Is it disputed on the page?', MARKET_SECONDS);
      await giveGasMoney(second.address);
      const { bondAmount } = (await place.sandbox.reader.getConfig()).chains[0]!;
      await place.sandbox.controls.fund(second.address, String(Number(bondAmount) / 1e6));
      await place.sandbox.controls.advanceTime(MARKET_SECONDS);
      await (await place.sandbox.client('proposer').proposeResolution(id, 'YES')).wait();
      await openScreen(page, `/m/${id}`);
      const state = async (name: string) => {
        const found = page.locator('[data-testid=resolution]');
        const isThere = page.locator(`[data-testid=resolution][data-state=${name}]`).waitFor(TIMEOUT);
        await isThere.catch(async (error: unknown) => {
          const said = await page.getByTestId('toast').allInnerTexts();
          throw new Error(
            `${String(error)} ${await found.getAttribute('data-state')} ${said} ${extension.calls.slice(-8)}`,
          );
        });
      };
      await state('proposed');
      await extension.pickChain('0x1');
      await dismissMessages(page);
      await page.getByTestId('dispute').click(TIMEOUT);
      await page.getByTestId('confirm-dispute').getByText('whose gas you pay').waitFor(TIMEOUT);
      await page.getByTestId('confirm').click();
      await state('disputed');
      expect(await place.sandbox.reader.getResolution(id)).toMatchObject({
        status: 'disputed',
        disputer: second.address,
      });
      // Whoever disputed does not decide.
      await dismissMessages(page);
      await page.getByTestId('arbitrate').click(TIMEOUT);
      const refusal = page.locator('[data-testid=toast][data-tone=bad]').filter({ hasText: 'decides here' });
      await refusal.waitFor(TIMEOUT);
      await refusal.getByRole('button').click();
      await extension.pickAccount(ARBITRATOR);
      await purse('$0.00');
      await extension.pickChain('0x1');
      await page.getByTestId('arbitrate').click(TIMEOUT);
      await page.getByTestId('arbitrate-true').waitFor(TIMEOUT);
      await dismissMessages(page);
      await page.getByTestId('arbitrate-true').click(TIMEOUT);
      await page.getByTestId('confirm-arbitration').getByText('cannot be undone').waitFor(TIMEOUT);
      await page.getByTestId('confirm').click();
      await state('resolved');
      expect(await place.sandbox.reader.getResolution(id)).toMatchObject({ status: 'resolved' });
      await openScreen(page, `/m/${marketId}`);
    });

    it('that is disconnected closes the wallet, and everything can still be read', async () => {
      await extension.pickAccount(undefined);
      await purse('Start trading');
      await seeLiveBook(page);
    });

    it('caused no error in the browser console', () => {
      expect(visit.complaints).toEqual([]);
    });
  });
}
