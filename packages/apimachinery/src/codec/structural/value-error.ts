import {
  type FieldError,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  fieldTooLongCharacters,
  fieldTooMany,
  fieldTypeInvalid,
} from '../../field/field-error.js';
import type { FieldPath } from '../../field/path.js';
import { printedAsDouble, printFloat } from '../../field/print-value.js';
import { quote } from '../../text/quote.js';
import { parseJsonValue } from '../json/parse-json.js';
import { stringifyJson } from '../json/stringify-json.js';

/**
 * An error of a value. `path` is relative to the validated value: `spec.ports[0]`, with a leading dot below a root
 * without a name. Undefined for errors that name no field.
 */
export interface ValueError {
  readonly path: string | undefined;
  toFieldError(at: FieldPath): FieldError;
}

type Make = (at: FieldPath) => FieldError;

/** Looks at the path only for an error that is reported: V8 joins the parts of a text then, and keys may be long. */
function atPath(path: string, make: Make): ValueError {
  const toFieldError = (base: FieldPath) => {
    const name = path.startsWith('.') ? path.slice(1) : path;
    return make(name === '' ? base : base.child(name));
  };
  return { path, toFieldError };
}

/** A wrong JSON type or format; `actual` is the type's name or, for a format, the text. */
export function wrongType(path: string, expected: string, actual: string): ValueError {
  const detail = `${path} in body must be of type ${expected}: ${quote(actual)}`;
  return atPath(path, (at) => fieldTypeInvalid(at, actual, detail));
}

/** A violated bound; `rule` follows the path: `should be greater than 0`. */
export function brokenRule(path: string, value: unknown, rule: string): ValueError {
  return atPath(path, (at) => fieldInvalid(at, inOrder(value), `${path} in body ${rule}`));
}

/** A violated bound of a number that is compared as a double. */
export function brokenRuleOfDouble(path: string, value: number, rule: string): ValueError {
  return atPath(path, (at) => fieldInvalid(at, printedAsDouble(value), `${path} in body ${rule}`));
}

/** The error of a `multipleOf` that has no multiples. */
export function unusableFactor(path: string, factor: number | bigint): ValueError {
  const detail = `factor MultipleOf declared for ${path} must be positive: ${typeof factor === 'bigint' ? factor : printFloat(factor)}`;
  return atPath(path, (at) => fieldInvalid(at, factor, detail));
}

/** The error of an object with a property that it may not have. */
export function notAllowed(path: string, name: string): ValueError {
  return atPath(path, (at) => fieldInvalid(at, name, `${path}.${name} in body is a forbidden property`));
}

export function missing(path: string): ValueError {
  return atPath(path, (at) => fieldRequired(at, ''));
}

export function notListed(path: string, value: unknown, values: readonly unknown[]): ValueError {
  return atPath(path, (at) => {
    const supported = values.map((one) => (typeof one === 'string' ? one : stringifyJson(one)));
    return fieldNotSupported(at, inOrder(value), supported);
  });
}

/** Go prints maps sorted by their keys. Texts and numbers are as they are. */
function inOrder(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? parseJsonValue(Buffer.from(stringifyJson(value))) : value;
}

export function tooLong(path: string, max: number): ValueError {
  return atPath(path, (at) => {
    // Upstream counts characters, but its message says bytes.
    const error = fieldTooLongCharacters(at, max);
    return { ...error, detail: error.detail.replace('character', 'byte') };
  });
}

export function tooMany(path: string, actual: number, max: number): ValueError {
  return atPath(path, (at) => fieldTooMany(at, actual, max));
}

/** An error without a field, as upstream reports everything about allOf, anyOf, oneOf and not. */
export function withoutField(detail: () => string): ValueError {
  return { path: undefined, toFieldError: (at) => fieldInvalid(at, '', detail()) };
}
