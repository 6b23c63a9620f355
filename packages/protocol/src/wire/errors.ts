// The body of every refusal.
import Type from 'typebox';

export const ErrorBody = Type.Object({
  error: Type.String({ description: 'one English sentence' }),
  code: Type.String({ description: 'stable snake_case word, see the catalogue' }),
  details: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  requestId: Type.String(),
});

export const RelayerErrorBody = Type.Object({ ...ErrorBody.properties, success: Type.Literal(false) });
