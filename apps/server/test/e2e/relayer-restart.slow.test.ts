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
  it('in good order or by kill -9 leaves the same signed request the same transaction', async () => {
    const wallets = [await newcomer('stop'), await newcomer('kill')];
    const bodies = await Promise.all(wallets.map((wallet) => wallet.approval()));
    const stopped = await wallets[0]!.relayed('ctf-approval', bodies[0]!);
    await exchange.sandbox.stop();
    exchange = await exchange.reopen();
    expect(await wallets[0]!.at(exchange).relayed('ctf-approval', bodies[0]!)).toBe(stopped);
    const killed = await wallets[1]!.at(exchange).relayed('ctf-approval', bodies[1]!);
    await exchange.sandbox.killGroup();
    exchange = await exchange.reopen();
    expect(await wallets[1]!.at(exchange).relayed('ctf-approval', bodies[1]!)).toBe(killed);
    for (const hash of [stopped, killed]) expect(await mined(hash)).toMatchObject({ status: 'confirmed' });
  });

  it('by kill -9 while a request is under way ends in one transaction', async () => {
    const random = new SeededRandom(seedFromEnv(Date.now()));
    const rounds = isLongRun ? 10 : 2;
    for (let round = 0; round < rounds; round++) {
      const ann = (await newcomer(`strike ${random.seed} ${round}`)).at(exchange);
      const body = await ann.approval();
      const interrupted = ann.post('ctf-approval', body).catch(() => undefined);
      await sleep(random.int(0, 120));
      await exchange.sandbox.killGroup();
      const answered = (await interrupted)?.body.tx_hash;
      exchange = await exchange.reopen();
      const hash = await ann.at(exchange).relayed('ctf-approval', body);
      if (answered !== undefined) expect(hash, `seed ${random.seed}`).toBe(answered);
      expect(await mined(hash)).toMatchObject({ status: 'confirmed' });
      expect(await ann.at(exchange).nonceAt(ann.chain.conditionalTokens.address)).toBe(1n);
    }
  });
});
