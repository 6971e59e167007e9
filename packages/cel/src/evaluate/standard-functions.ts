import { TYPE } from '../types/cel-type.js';
import { codePoints } from '../values/actual-size.js';
import { NO_SUCH_OVERLOAD } from '../values/errors.js';
import { type Implementations, implement } from '../values/implementation.js';
import { LazyMap } from '../values/lazy-map.js';
import { MadeObject } from '../values/made-object.js';
import { runtimeType } from '../values/runtime-type.js';
import { EvaluationError, ListValue, MapValue, type Result, TypeValue, type Value } from '../values/value.js';
import { PreservedValue } from '../views/preserved-value.js';
import { CONVERSIONS } from './conversions.js';
import { noOperation } from './operators.js';
import { timeFunctions } from './time-functions.js';

/** The functions of the language, by overload. Operators are compiled separately. */
export function standardImplementations(): Implementations {
  return {
    ...CONVERSIONS,
    ...timeFunctions(),
    type: implement(['any'], typeOf),
    ...Object.fromEntries(
      ['bytes', 'list', 'map', 'string'].flatMap((type) => [
        [`size_${type}`, implement(['any'], sizeOf)],
        [`${type}_size`, implement(['any'], sizeOf)],
      ]),
    ),
    contains_string: texts((text, part) => text.includes(part)),
    starts_with_string: texts((text, part) => text.startsWith(part)),
    ends_with_string: texts((text, part) => text.endsWith(part)),
  };
}

function texts(test: (text: string, part: string) => boolean): Implementations[string] {
  return implement(['any', 'any'], (text, part) =>
    typeof text === 'string' && typeof part === 'string' ? test(text, part) : NO_SUCH_OVERLOAD,
  );
}

/** The size of a value, or the error of one without a size. */
export function sizeOf(value: Value): Result {
  if (typeof value === 'string') return codePoints(value);
  if (value instanceof Uint8Array) return value.length;
  const isSized = value instanceof ListValue || (value instanceof MapValue && !(value instanceof LazyMap));
  return isSized ? value.size : noOperation(value, 'size');
}

function typeOf(value: Value): Result {
  if (value instanceof PreservedValue) return UNTYPED;
  return new TypeValue(value instanceof MadeObject ? TYPE : runtimeType(value));
}

const UNTYPED = new EvaluationError(
  "type conversion to 'type' not supported for values preserved by x-kubernetes-preserve-unknown-fields",
);
