// Every operation that the relayer sends, by name: it never calls other functions.
import type { RelayerOperation } from '@presage/protocol';
import { marketOperations } from './market-operations.ts';
import type { RelayedOperation } from './operation.ts';
import { permitOperations } from './permit-operations.ts';
import { settlementOperations } from './settlement-operations.ts';
import { shareOperations } from './share-operations.ts';

const all = { ...permitOperations, ...shareOperations, ...marketOperations, ...settlementOperations };

type RequestOf<Operation> = Operation extends RelayedOperation<infer Request> ? Request : never;
export type RequestMap = { readonly [Name in RelayerOperation]: RequestOf<(typeof all)[Name]> };

export type Operations = { readonly [Name in RelayerOperation]: RelayedOperation<RequestMap[Name]> };

/** A well-formed request of one of the operations, before it is judged. */
export type RelayRequest<Name extends RelayerOperation = RelayerOperation> = {
  readonly [Each in Name]: { readonly operation: Each; readonly request: RequestMap[Each] };
}[Name];

export const OPERATIONS: Operations = all;
