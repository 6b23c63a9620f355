// Bodies and answers of the sandbox's own endpoints.
import Type from 'typebox';
import { OutcomeNames } from './events.ts';
import { CategoryText } from './markets.ts';
import {
  AddressText,
  Bytes32Text,
  DecimalText,
  FeeRatesInput,
  PLAIN_TEXT,
  Uint64Input,
  Uint256Input,
  UnixSeconds,
} from './scalars.ts';

const ChainChoice = Type.Optional(
  Type.Integer({ minimum: 1, description: 'the id of a chain of this service; the first when absent' }),
);

export const FundInput = Type.Object({
  address: AddressText,
  amount: Type.Optional(Uint256Input),
  chainId: ChainChoice,
});

export const FundAnswer = Type.Object({
  address: AddressText,
  amount: DecimalText,
  balance: DecimalText,
  txHash: Bytes32Text,
});

export const CreateMarketInput = Type.Object({
  question: Type.String({
    pattern: PLAIN_TEXT,
    minLength: 1,
    maxLength: 512,
    description: 'a text of 1 to 512 characters, none of them control characters',
  }),
  description: Type.Optional(
    Type.String({
      pattern: PLAIN_TEXT,
      maxLength: 4_096,
      description: 'a text of at most 4096 characters, none of them control characters',
    }),
  ),
  category: Type.Optional(CategoryText),
  expiration: Type.Optional(Uint64Input),
  expiresIn: Type.Optional(Uint64Input),
  earlyResolution: Type.Optional(
    Type.Boolean({
      description: 'true or false, whether a result may be proposed before the expiration; false when absent',
    }),
  ),
  ...FeeRatesInput,
  chainId: ChainChoice,
});

export const CreateEventInput = Type.Object({
  ...CreateMarketInput.properties,
  outcomes: OutcomeNames,
});

export const TimeTravelInput = Type.Object({
  advanceSeconds: Type.Integer({
    minimum: 1,
    maximum: 315_360_000,
    description: 'an integer from 1 to 315360000, ten years in seconds',
  }),
});

export const TravelAnswer = Type.Object({ now: UnixSeconds, offsetSeconds: Type.Integer() });

export const MakerInput = Type.Object({ running: Type.Boolean({ description: 'true or false' }) });

export const MakerAnswer = Type.Object({ running: Type.Boolean() });

const CHAIN_FAULTS = ['up', 'down', 'slow'] as const;
const SETTLEMENT_FAULTS = ['normal', 'revert'] as const;
const ORACLE_FAULTS = ['normal', 'stalled'] as const;

export const FaultInput = Type.Object({
  chain: Type.Optional(Type.Enum([...CHAIN_FAULTS], { description: 'up, down or slow' })),
  settlement: Type.Optional(Type.Enum([...SETTLEMENT_FAULTS], { description: 'normal or revert' })),
  reorgDepth: Type.Optional(Type.Integer({ minimum: 0, maximum: 64, description: 'a number of blocks from 0 to 64' })),
  oracle: Type.Optional(Type.Enum([...ORACLE_FAULTS], { description: 'normal or stalled' })),
  chainId: ChainChoice,
});

export const FaultAnswer = Type.Object({
  chain: Type.Enum([...CHAIN_FAULTS]),
  settlement: Type.Enum([...SETTLEMENT_FAULTS]),
  oracle: Type.Enum([...ORACLE_FAULTS]),
});

export const OperatorKeyAnswer = Type.Object({
  keyId: Type.String(),
  privateKey: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'Ed25519 seed' }),
});

export const DisputeInput = Type.Object({ marketId: Bytes32Text });

export const ArbitrationInput = Type.Object({
  marketId: Bytes32Text,
  truthful: Type.Boolean({ description: 'true or false' }),
});
