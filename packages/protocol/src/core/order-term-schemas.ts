// Schemas of an order's terms, derived from the list of terms: for records and for submissions.
import Type from 'typebox';
import { isSwitch, ORDER_TERM_NAMES, ORDER_TERMS, type OrderTermName, type OrderTerms } from './order.ts';

type TermSchemas = { [Name in OrderTermName]: Type.TUnsafe<OrderTerms[Name]> };
type TermInputs = { [Name in OrderTermName]: Type.TOptional<Type.TUnsafe<OrderTerms[Name]>> };
type TermChoices = {
  [Name in OrderTermName]: OrderTerms[Name] extends boolean ? Type.TBoolean : Type.TArray<Type.TString>;
};

/** Schemas of all terms, each required. */
export function termSchemas(): TermSchemas {
  return mapTerms(toSchema);
}

/** Schemas of all terms, each optional. */
export function termInputs(): TermInputs {
  return mapTerms((name) => Type.Optional(toSchema(name)));
}

/** Schemas of the result of `listTermChoices`. */
export function termChoices(): TermChoices {
  return mapTerms((name) => (isSwitch(name) ? Type.Boolean() : Type.Array(Type.String())));
}

/** Builds a schema for every term; the caller chooses the kind of schema. */
function mapTerms<T>(toTermSchema: (name: OrderTermName) => Type.TSchema): T {
  return Object.fromEntries(ORDER_TERM_NAMES.map((name) => [name, toTermSchema(name)])) as T;
}

function toSchema(name: OrderTermName): Type.TSchema {
  if (isSwitch(name)) return Type.Boolean({ description: 'true or false' });
  const values = ORDER_TERMS[name].map(String);
  return Type.Enum(values, { description: values.join(', ') });
}
