// The account of unsent bytes: who is given up when a connection, an address or all of them hold too much.
import { describe, expect, it } from 'vitest';
import { HeldBytes, type Holder } from '../../src/api/held-bytes.ts';

const LIMITS = { connection: 40, address: 60, all: 100 };

function openAccount() {
  const account = new HeldBytes(LIMITS);
  const cut: string[] = [];
  /** A holder named by its address, its connection and itself. */
  const hold = (name: string, bytes: number, maxBytes?: number): Holder => {
    const [address = '', connection = ''] = name.split('/');
    const holder = {
      address,
      connection: connectionOf(`${address}/${connection}`),
      giveUp: () => cut.push(name),
      ...(maxBytes !== undefined && { maxBytes }),
    };
    account.note(holder, bytes);
    return holder;
  };
  const connections = new Map<string, object>();
  const connectionOf = (name: string): object => {
    const known = connections.get(name) ?? {};
    connections.set(name, known);
    return known;
  };
  return { account, cut, hold };
}

describe('the account of unsent bytes', () => {
  it('gives up a connection with several answers that hold too much together', () => {
    const { account, cut, hold } = openAccount();
    hold('ann/1/first', 30);
    expect(cut).toEqual([]);
    hold('ann/1/second', 11);
    expect([cut, account.bytes]).toEqual([['ann/1/first'], 0]);
  });

  it('lets a single answer be longer than that, within the share of its address', () => {
    const { account, cut, hold } = openAccount();
    hold('ann/1/list', 60);
    expect([cut, account.bytes]).toEqual([[], 60]);
    hold('ann/2/list', 1);
    expect([cut, account.bytes]).toEqual([['ann/1/list'], 1]);
  });

  it('gives up a holder that exceeds its own limit, alone or not', () => {
    const { account, cut, hold } = openAccount();
    const stream = hold('ann/1/stream', 20, 20);
    account.note(stream, 21);
    expect([cut, account.bytes]).toEqual([['ann/1/stream'], 0]);
  });

  it('takes from the address that holds most, and there from its largest connection', () => {
    const { account, cut, hold } = openAccount();
    hold('bob/1/list', 45);
    hold('ann/1/list', 20);
    hold('ann/2/list', 30);
    expect(cut).toEqual([]);
    hold('eve/1/list', 10);
    expect([cut, account.bytes]).toEqual([['ann/2/list'], 75]);
    hold('eve/1/list', 30);
    expect([cut, account.bytes]).toEqual([['ann/2/list', 'bob/1/list'], 60]);
  });

  it('forgets what is sent, and does not count what was given up again', () => {
    const { account, cut, hold } = openAccount();
    const sent = hold('ann/1/list', 60);
    account.note(sent, 0);
    const given = hold('ann/2/list', 60);
    hold('ann/3/list', 1);
    account.note(given, 0);
    expect([cut, account.bytes]).toEqual([['ann/2/list'], 1]);
  });
});
