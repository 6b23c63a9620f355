// One relayed operation, one description: its endpoint, its body, how a body becomes a request, and what its owner signs.
import type Type from 'typebox';
import type { Static } from 'typebox';
import { compileLater } from '../core/compile-later.ts';
import type { ErrorCode } from '../core/errors.ts';
import type { Parsed } from '../core/fault.ts';
import type { Address, Bytes32 } from '../core/ids.ts';
import { firstFieldFault } from '../wire/field-fault.ts';
import type { OPERATION_TYPES } from './operation-types.ts';
import { type Owned, RequestReader, type Signature } from './request-reader.ts';

type OperationTypes = typeof OPERATION_TYPES;
export type OperationType = keyof OperationTypes;

interface SolidityValues {
  readonly address: Address;
  readonly bool: boolean;
  readonly bytes32: Bytes32;
  readonly uint8: number;
  readonly uint32: number;
  readonly uint64: bigint;
  readonly uint256: bigint;
  readonly 'uint256[]': readonly bigint[];
}

/** Fields that no request names: the chain knows the nonce and the terms of a bond, the signature has the deadline. */
type AddedField = 'nonce' | 'deadline' | 'bond' | 'round';

/** What the owner signs, field by field as its EIP-712 type lists it. */
export type OperationMessage<T extends OperationType> = {
  readonly [Field in OperationTypes[T][number] as Exclude<Field['name'], AddedField>]: SolidityValues[Field['type']];
};

/** One signature of a request, and what it is a signature of. */
export interface SignedMessage {
  readonly type: OperationType;
  readonly message: object;
  readonly signature: Signature;
  /** The contract in whose domain it is signed, where the type alone does not say so. */
  readonly contract?: Address;
}

interface Documented<Name> {
  /** The last part of the path, and the operation's name in records and answers. */
  readonly name: Name;
  /** The operation's id in the OpenAPI document. */
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  /** Errors beyond those of every relayed operation. */
  readonly errors?: readonly ErrorCode[];
}

interface Definition<Name, Body extends Type.TSchema, Request> extends Documented<Name> {
  readonly body: Body;
  /** Reads a body that has the schema's shape; the reader collects what else is wrong. */
  readonly read: (body: Static<Body>, reader: RequestReader) => Request;
  /** What the owner signs, in the order of the nonces. */
  readonly signs: (request: Request) => readonly SignedMessage[];
}

export interface RelayOperation<Name, Request> extends Documented<Name> {
  readonly body: Type.TSchema;
  readonly parse: (body: unknown) => Parsed<Request>;
  /** `parse` with the operation's name, by which the requests of all operations are one type. */
  readonly parseNamed: (body: unknown) => Parsed<{ readonly operation: Name; readonly request: Request }>;
  readonly signs: (request: Request) => readonly SignedMessage[];
}

export type RequestOf<Operation> = Operation extends RelayOperation<unknown, infer Request> ? Request : never;

export function relayOperation<const Name extends string, Body extends Type.TSchema, Request extends Owned>(
  definition: Definition<Name, Body, Request>,
): RelayOperation<Name, Request> {
  const { read, ...documented } = definition;
  const { name, body: schema } = documented;
  const shape = compileLater(schema);
  const parse = (body: unknown): Parsed<Request> => {
    if (!shape().Check(body)) {
      const { details } = firstFieldFault([...shape().Errors(body)], schema);
      return { ok: false, fault: { code: 'invalid_request_body', ...(details && { details }) } };
    }
    const reader = new RequestReader();
    const value = read(body, reader);
    return reader.fault === undefined ? { ok: true, value } : { ok: false, fault: reader.fault };
  };
  const parseNamed: RelayOperation<Name, Request>['parseNamed'] = (body) => {
    const parsed = parse(body);
    return parsed.ok ? { ok: true, value: { operation: name, request: parsed.value } } : parsed;
  };
  return { ...documented, parse, parseNamed };
}

/** A signed message whose fields are those of its type. */
export function signs<T extends OperationType>(
  type: T,
  message: OperationMessage<T>,
  signature: Signature,
): SignedMessage {
  return { type, message, signature };
}
