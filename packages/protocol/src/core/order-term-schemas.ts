// Schemas of an order's terms, made from the list of terms: as a record keeps them and as a submission may bring them.
import Type from 'typebox';
import { isSwitch, ORDER_TERM_NAMES, ORDER_TERMS, type OrderTermName, type OrderTerms } from './order.ts';

type TermSchemas = { [Name in OrderTermName]: Type.TUnsafe<OrderTerms[Name]> };
type TermInputs = { [Name in OrderTermName]: Type.TOptional<Type.TUnsafe<OrderTerms[Name]>> };
type TermChoices = {
  [Name in OrderTermName]: OrderTerms[Name] extends boolean ? Type.TBoolean : Type.TArray<Type.TString>;
};

/** All of them, always. */
export function termSchemas(): TermSchemas {
  return mapTerms(toSchema) as TermSchemas;
}

/** Each may be left out. */
export function termInputs(): TermInputs {
  return mapTerms((name) => Type.Optional(toSchema(name))) as TermInputs;
}

/** What listTermChoices gives. */
export function termChoices(): TermChoices {
  return mapTerms((name) => (isSwitch(name) ? Type.Boolean() : Type.Array(Type.String()))) as TermChoices;
}

function mapTerms(toTermSchema: (name: OrderTermName) => Type.TSchema): Record<string, Type.TSchema> {
  return Object.fromEntries(ORDER_TERM_NAMES.map((name) => [name, toTermSchema(name)]));
}

function toSchema(name: OrderTermName): Type.TSchema {
  if (isSwitch(name)) return Type.Boolean({ description: 'true or false' });
  const values = ORDER_TERMS[name].map(String);
  return Type.Enum(values, { description: values.join(', ') });
}
