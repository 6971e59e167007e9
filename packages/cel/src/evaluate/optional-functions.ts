import { EmptyMessage } from '../messages/empty-message.js';
import { type Implementations, implement } from '../values/implementation.js';
import { readResult } from '../values/invalid-value.js';
import { ArrayList, elementsOf } from '../values/lists.js';
import { Double, Uint } from '../values/number.js';
import {
  Duration,
  EvaluationError,
  ListValue,
  MapValue,
  OptionalValue,
  type Result,
  Timestamp,
  type Value,
} from '../values/value.js';

const NO_VALUE = new EvaluationError('optional.none() dereference');

/** Seconds of the zero time of Go, 0001-01-01T00:00:00Z. */
const ZERO_TIME = -62_135_596_800;

/** The functions of optional values. Upstream: optionalLib in github.com/google/cel-go/cel/library.go */
export const OPTIONAL_IMPLEMENTATIONS: Implementations = {
  optional_of: implement(['any'], OptionalValue.of),
  optional_ofNonZeroValue: implement(['any'], (value) =>
    isZero(value) ? OptionalValue.NONE : OptionalValue.of(value),
  ),
  optional_none: implement([], () => OptionalValue.NONE),
  optional_value: implement(['optional'], ({ value }) => (value === undefined ? NO_VALUE : readResult(value))),
  optional_hasValue: implement(['optional'], ({ value }) => value !== undefined),
  list_first: implement(['list'], (list) => elementAt(list, 0)),
  list_last: implement(['list'], (list) => elementAt(list, list.size - 1)),
  optional_unwrap: implement(['list'], unwrap),
  optional_unwrapOpt: implement(['list'], unwrap),
};

function elementAt(list: ListValue, index: number): Result {
  if (list.size === 0) return OptionalValue.NONE;
  const element = readResult(list.at(index));
  return element instanceof EvaluationError ? element : OptionalValue.of(element);
}

function unwrap(list: ListValue): Result {
  const values: Value[] = [];
  for (const element of elementsOf(list)) {
    if (!(element instanceof OptionalValue)) return new EvaluationError('value is not optional');
    if (element.value !== undefined) values.push(element.value);
  }
  return new ArrayList(values);
}

/** True for null and the value that a type starts from. Values by a schema are never zero, as upstream. */
function isZero(value: Value): boolean {
  switch (typeof value) {
    case 'string':
      return value === '';
    case 'boolean':
      return !value;
    case 'number':
    case 'bigint':
      return value === 0;
  }
  if (value === null) return true;
  if (value instanceof Double || value instanceof Uint) return value.value === 0;
  if (value instanceof Uint8Array) return value.length === 0;
  if (value instanceof Duration) return value.nanoseconds === 0;
  if (value instanceof Timestamp) return value.seconds === ZERO_TIME && value.nanoseconds === 0;
  if (value instanceof EmptyMessage) return true;
  return (value instanceof ListValue || value instanceof MapValue) && value.equals === undefined && value.size === 0;
}
