// Bodies of the relayer endpoints are judged in the order of docs/protocol.md: shape, addresses, signatures.
import type { Parsed } from '@presage/protocol';
import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../src/relayer/operations/operations.ts';

const wallet = `0x${'Ab'.repeat(20)}`;
const word = `0x${'Cd'.repeat(32)}`;
const signed = { deadline: '1900000000', v: 28, r: word, s: word };
const approval = { chainId: 31337, owner: wallet, operator: wallet, approved: true, ...signed };

function parse(name: keyof typeof OPERATIONS, body: unknown): Parsed<unknown> | undefined {
  return OPERATIONS[name].endpoint?.input.parse(body);
}

function faultOf({ ...parsed }: Parsed<unknown> | undefined): unknown {
  return 'fault' in parsed ? { code: parsed.fault.code, field: parsed.fault.details?.field } : undefined;
}

describe('the body of a relayer endpoint', () => {
  it('is judged by shape, then by addresses, then by signatures', () => {
    const broken = { ...approval, approved: 'yes', owner: '0x1', operator: 'me', r: '0x2', s: 'none' };
    const steps: [object, object | undefined][] = [
      [{}, { code: 'invalid_request_body', field: 'approved' }],
      [{ approved: false }, { code: 'invalid_address_format', field: 'owner' }],
      [{ owner: wallet }, { code: 'invalid_address_format', field: 'operator' }],
      [{ operator: wallet }, { code: 'invalid_signature_format', field: 'r' }],
      [{ r: word }, { code: 'invalid_signature_format', field: 's' }],
      [{ s: word }, undefined],
    ];
    let body: object = broken;
    for (const [fixed, fault] of steps) {
      body = { ...body, ...fixed };
      expect(faultOf(parse('ctf-approval', body))).toEqual(fault);
    }
  });

  it('takes null for an optional field as absent, in the same order of faults', () => {
    expect(parse('ctf-approval', { ...approval, signature: null })).toEqual(parse('ctf-approval', approval));
    const proposal = { chainId: 1, marketAddress: wallet, proposer: wallet, outcome: true, ...signed };
    const bond = { bondPermitDeadline: null, bondV: null, bondR: null, bondS: null };
    expect(parse('propose-resolution', { ...proposal, ...bond })).toEqual(parse('propose-resolution', proposal));
    const keyless = { ...approval, v: null, r: null, s: null, signature: null };
    expect(faultOf(parse('ctf-approval', keyless))).toEqual({ code: 'invalid_request_body', field: 'v' });
    expect(faultOf(parse('ctf-approval', { ...keyless, deadline: null }))).toEqual({
      code: 'invalid_request_body',
      field: 'deadline',
    });
  });

  it('is malformed when it is no object at all', () => {
    for (const body of [undefined, null, 7, 'text', []]) {
      expect(faultOf(parse('ctf-approval', body))).toMatchObject({ code: 'invalid_request_body' });
    }
  });

  it('takes integers as numbers, as bigints and as text, and refuses those past their type', () => {
    const permit = { chainId: '31337', owner: wallet, spender: wallet, value: 2n ** 256n - 1n, ...signed, v: 1 };
    expect(parse('stablecoin-permit', permit)).toMatchObject({
      ok: true,
      value: { chainId: 31337n, owner: wallet.toLowerCase(), value: 2n ** 256n - 1n, v: 28, deadline: 1900000000n },
    });
    const tooMuch = { ...permit, value: (2n ** 256n).toString(), owner: 'nobody' };
    expect(faultOf(parse('stablecoin-permit', tooMuch))).toEqual({ code: 'invalid_request_body', field: 'value' });
  });

  it('looks at every redemption of a batch, and takes 1 to 20', () => {
    const redemption = {
      collateralToken: wallet,
      marketAddress: wallet,
      conditionId: word,
      indexSets: ['1', '2'],
      parentCollectionId: `0x${'00'.repeat(32)}`,
      ...signed,
    };
    const batch = (redemptions: object[]) =>
      faultOf(parse('batch-ctf-redemption', { chainId: 1, owner: wallet, redemptions }));
    expect(batch([redemption, redemption])).toBeUndefined();
    expect(
      batch([
        { ...redemption, r: '0x' },
        { ...redemption, marketAddress: '0x' },
      ]),
    ).toEqual({
      code: 'invalid_address_format',
      field: 'redemptions.1.marketAddress',
    });
    expect(batch([redemption, { ...redemption, s: '0x' }])).toEqual({
      code: 'invalid_signature_format',
      field: 'redemptions.1.s',
    });
    for (const redemptions of [[], Array.from({ length: 21 }, () => redemption)]) {
      expect(batch(redemptions)).toEqual({ code: 'invalid_request_body', field: 'redemptions' });
    }
  });

  it('has a whole bond permit or none', () => {
    const proposal = { chainId: 1, marketAddress: wallet, proposer: wallet, outcome: false, ...signed };
    expect(parse('propose-resolution', proposal)).toMatchObject({ ok: true, value: { owner: wallet.toLowerCase() } });
    const half = { ...proposal, bondV: 27, bondR: word };
    expect(faultOf(parse('propose-resolution', half))).toEqual({
      code: 'invalid_request_body',
      field: 'bondPermitDeadline',
    });
    const whole = { ...half, bondS: word, bondPermitDeadline: 5 };
    expect(parse('propose-resolution', whole)).toMatchObject({
      ok: true,
      value: { bondPermit: { v: 27, deadline: 5n } },
    });
  });
});
