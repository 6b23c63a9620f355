// The command line on a service with two chains: a wallet is prepared, and leaves, on both, or on the one that is named.
import { openSandbox, type SandboxProcess, withoutQuickMarkets } from '@presage/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Presage } from './presage.ts';

const [FIRST, SECOND] = [31337, 31338];
let sandbox: SandboxProcess;
let presage: Presage;

beforeAll(async () => {
  const env = { PRESAGE_SANDBOX_CHAINS: '2', PRESAGE_SANDBOX_AUTOFUND: 'off' };
  sandbox = await openSandbox(withoutQuickMarkets({ isNew: true, env }));
  presage = await Presage.open({ PRESAGE_URL: sandbox.url });
});
afterAll(async () => {
  await presage?.close();
  await sandbox?.discard();
});

async function approvalsOn(chainId: number): Promise<boolean> {
  const { address } = await presage.json<{ address: string }>('wallet', 'balance');
  const answer = await fetch(`${sandbox.url}/api/v1/users/${address}/approvals?chain_id=${chainId}`);
  return ((await answer.json()) as { settlement: { sharesApproved: boolean } }).settlement.sharesApproved;
}

describe('presage wallet setup with two chains', () => {
  it('prepares the chain that is named, then the other one, and says what was missing on each', async () => {
    const steps = ['stablecoin-permit', 'ctf-approval'];
    expect(await presage.json('wallet', 'setup', '--chain', String(SECOND))).toMatchObject({
      chains: [{ chainId: SECOND, done: steps }],
    });
    expect([await approvalsOn(FIRST), await approvalsOn(SECOND)]).toEqual([false, true]);
    expect(await presage.json('wallet', 'setup')).toMatchObject({
      chains: [
        { chainId: FIRST, done: steps },
        { chainId: SECOND, done: [] },
      ],
    });
    expect([await approvalsOn(FIRST), await approvalsOn(SECOND)]).toEqual([true, true]);
    expect(await presage.text('wallet', 'setup')).toContain(`chain ${SECOND}: ready; no approval was missing`);
  });

  it('names the chains that there are where another is asked for', async () => {
    const { code, stderr } = await presage.run('wallet', 'setup', '--chain', '5');
    expect([code, stderr]).toEqual([2, expect.stringContaining(`It serves ${FIRST}, ${SECOND}.`)]);
  });
});

describe('presage leave with two chains', () => {
  it('halts on both, and on one where the other has halted already', async () => {
    const halted = { done: 'halt', chains: [{ chainId: FIRST }, { chainId: SECOND }] };
    expect(await presage.json('leave', 'halt')).toMatchObject(halted);
    const resumed = await presage.json('leave', 'resume', '--chain', String(SECOND));
    expect(resumed).toMatchObject({ chains: [{ chainId: SECOND }] });
    const again = await presage.run('leave', 'halt', '--json');
    expect([again.code, JSON.parse(again.stdout)]).toMatchObject([1, { chains: [{ chainId: SECOND }] }]);
    expect(again.stderr).toContain(`chain ${FIRST}: no halt`);
    expect(await presage.json('leave', 'resume')).toMatchObject({ chains: [{ chainId: FIRST }, { chainId: SECOND }] });
  });
});
