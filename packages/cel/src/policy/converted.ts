import { EvaluationError } from '../values/value.js';

/** A JSON value, or the error of a value that has no JSON form. */
export type Converted = { readonly json: unknown } | EvaluationError;

/** JSON of a double, which has no form of what is no number and of infinities. */
export function finite(value: number): Converted {
  if (Number.isFinite(value)) return { json: value };
  const name = Number.isNaN(value) ? 'NaN' : `${value < 0 ? '-' : '+'}Inf`;
  const where = 'json: error calling MarshalJSON for type *structpb.Value: proto: google.protobuf.Value.number_value';
  return new EvaluationError(`${where}: invalid ${name} value`);
}
