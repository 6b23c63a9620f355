// A quote: what the book as it stands would cost a taker, with the market's fee.
import { createServer, type Server } from 'node:http';
import { portOf } from '@presage/runtime/node';
import { afterEach, describe, expect, it } from 'vitest';
import { createPublicClient, PresageInputError } from '../src/index.ts';

const MARKET = `0x${'0a'.repeat(32)}`;
const BOOK = {
  asks: [
    { price: 400_000, size: 10_000_000 },
    { price: 500_000, size: 5_000_000 },
  ],
  bids: [{ price: 300_000, size: 1 }],
};

let server: Server | undefined;
afterEach(() => void server?.close());

async function openClient(feeRateBps: number) {
  server = createServer((request, response) => {
    const body = request.url?.includes('/orderbook/') ? BOOK : { id: MARKET, feeRateBps };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return createPublicClient({ url: `http://127.0.0.1:${portOf(server)}` });
}

describe('a quote', () => {
  it('walks the book level by level, and adds the fee of each', async () => {
    const client = await openClient(200);
    expect(await client.quote(MARKET, { side: 'buy', size: '12' })).toEqual({
      filledSize: 12_000_000n,
      cost: 5_000_000n,
      fee: 48_000n + 10_000n,
      averagePrice: 416_667,
      worstPrice: 500_000,
    });
    expect(await client.quote(MARKET, { side: 'sell', size: '12' })).toMatchObject({
      filledSize: 1n,
      cost: 1n,
      fee: 1n,
      worstPrice: 300_000,
    });
  });

  it('goes no further than its limit, nor than the book, and is nothing where nothing is offered', async () => {
    const client = await openClient(0);
    const buy = { side: 'buy', size: '12' } as const;
    expect(await client.quote(MARKET, { ...buy, price: '45c' })).toMatchObject({ filledSize: 10_000_000n, fee: 0n });
    expect(await client.quote(MARKET, { ...buy, size: '100' })).toMatchObject({ filledSize: 15_000_000n });
    expect(await client.quote(MARKET, { ...buy, price: '0.39' })).toEqual({
      filledSize: 0n,
      cost: 0n,
      fee: 0n,
      averagePrice: 0,
      worstPrice: 0,
    });
    await expect(client.quote(MARKET, { ...buy, size: '0' })).rejects.toThrow(PresageInputError);
  });
});
