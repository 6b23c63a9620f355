// The animation of the README, from a real run: an order, its match, its settlement on chain, and a trade that heals after the settlement contract has failed.
import type { Page } from 'playwright-core';
import { animate, type Frame } from './animated-png.ts';
import { openScreen, seeLiveBook, TIMEOUT } from './page-actions.ts';
import type { WebSandbox } from './web-sandbox.ts';

const [SHORT_MS, USUAL_MS, LONG_MS] = [1_600, 2_600, 3_600];

export async function recordAnimation(page: Page, sandbox: WebSandbox, marketId: string): Promise<Buffer> {
  const frames: Frame[] = [];
  const shoot = async (caption: string, ms: number) => {
    await showCaption(page, caption);
    frames.push({ png: await page.screenshot(), ms });
  };
  /** A stage may be over before the page is looked at. */
  const seeStage = (...stages: readonly string[]) =>
    page.locator(stages.map((stage) => `[data-testid=order-life][data-stage=${stage}]`).join(',')).waitFor(TIMEOUT);
  const enter = async (dollars: string) => {
    await page.getByTestId('size').fill(dollars);
    await page.locator('[data-testid=submit][data-state=ready]').waitFor(TIMEOUT);
  };

  await openScreen(page, `/m/${marketId}`);
  await seeLiveBook(page);
  await enter('50');
  await shoot('An order: the button names the worst that it can cost', USUAL_MS);
  await page.getByTestId('submit').click();
  await seeStage('accepted', 'settling', 'settled');
  await shoot('Signed by the wallet, matched and durable at once', SHORT_MS);
  await seeStage('settled');
  await shoot('Settled on chain: shares and money have changed hands', USUAL_MS);

  await sandbox.controls.setFaults({ settlement: 'revert' });
  try {
    await enter('25');
    await page.getByTestId('submit').click();
    await seeStage('accepted', 'settling');
    // Long enough for an attempt that the contract refuses.
    await page.waitForTimeout(3_000);
    await shoot('Now the settlement contract refuses everything: the next trade waits', LONG_MS);
  } finally {
    await sandbox.controls.setFaults({ settlement: 'normal' });
  }
  await seeStage('settled');
  await shoot('The contract works again, and the same trade settles by itself', LONG_MS);
  return animate(frames);
}

/** A strip below the page: without words nobody sees what happens. */
async function showCaption(page: Page, text: string): Promise<void> {
  await page.evaluate(`(() => {
    const strip = document.getElementById('caption') ?? document.body.appendChild(document.createElement('div'));
    strip.id = 'caption';
    strip.textContent = ${JSON.stringify(text)};
    strip.style.cssText = 'position:fixed;inset:auto 0 0 0;z-index:9999;padding:14px;text-align:center;font:600 24px Inter,sans-serif;background:#f4f4f5;color:#18181b';
    document.querySelectorAll('[data-testid=toast] button').forEach((button) => button.click());
  })()`);
  await page.waitForTimeout(700);
}
