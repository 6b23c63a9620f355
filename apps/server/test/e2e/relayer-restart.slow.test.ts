// The relayer across restarts and kill -9: the same signed request stays the same transaction.
import { setTimeout as sleep } from 'node:timers/promises';
import { isLongRun, SeededRandom, seedFromEnv, waitFor, walletOf } from '@presage/testkit';
import type { Hex } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Exchange } from './exchange.ts';
import { RelayedWallet } from './relayed-wallet.ts';

let exchange: Exchange;

beforeAll(async () => {
  exchange = await Exchange.open();
});
afterAll(() => exchange?.close());

function newcomer(name: string): Promise<RelayedWallet> {
  return RelayedWallet.open(exchange, walletOf(`restarted ${name}`));
}

function mined(hash: Hex): Promise<Readonly<Record<string, unknown>>> {
  return waitFor(`${hash} is decided`, async () => {
    const seen = await exchange.client.read<Record<string, unknown>>(`/api/v1/relayer/transactions/${hash}`);
    return seen.status !== 'pending' && seen;
  });
}

describe('a restart', () => {
  it('in good order leaves the same signed request the same transaction', async () => {
    const ann = await newcomer('stop');
    const body = await ann.approval();
    const stopped = await ann.relayed('ctf-approval', body);
    await exchange.sandbox.stop();
    exchange = await exchange.reopen();
    expect(await ann.at(exchange).relayed('ctf-approval', body)).toBe(stopped);
    expect(await mined(stopped)).toMatchObject({ status: 'confirmed' });
  });

  it('by kill -9 does so, too, and a request that was under way ends in one transaction', async () => {
    const random = new SeededRandom(seedFromEnv(Date.now()));
    const rounds = isLongRun ? 10 : 1;
    for (let round = 0; round < rounds; round++) {
      const [ann, ben] = [await newcomer(`answered ${round}`), await newcomer(`strike ${random.seed} ${round}`)];
      const bodies = [await ann.approval(), await ben.approval()] as const;
      const killed = await ann.relayed('ctf-approval', bodies[0]);
      const interrupted = ben.post('ctf-approval', bodies[1]).catch(() => undefined);
      await sleep(random.int(0, 120));
      await exchange.sandbox.killGroup();
      const answered = (await interrupted)?.body.tx_hash;
      exchange = await exchange.reopen();
      expect(await ann.at(exchange).relayed('ctf-approval', bodies[0])).toBe(killed);
      const hash = await ben.at(exchange).relayed('ctf-approval', bodies[1]);
      if (answered !== undefined) expect(hash, `seed ${random.seed}`).toBe(answered);
      for (const each of [killed, hash]) expect(await mined(each)).toMatchObject({ status: 'confirmed' });
      for (const wallet of [ann, ben]) {
        expect(await wallet.at(exchange).nonceAt(wallet.chain.conditionalTokens.address)).toBe(1n);
      }
    }
  });
});
