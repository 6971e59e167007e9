import { Buffer } from 'node:buffer';
import type { Toleration } from '@apiserver/api/core/v1';
import { parseJsonValue } from '@apiserver/apimachinery/codec/json';
import { isMembers, jsonTypeName, type Members, namesGoField } from '@apiserver/apimachinery/json';

const SECONDS = 'tolerationSeconds';

/** Go's types of the fields. */
const FIELDS: readonly (readonly [keyof Toleration & string, string])[] = [
  ['key', 'string'],
  ['operator', 'v1.TolerationOperator'],
  ['value', 'string'],
  ['effect', 'v1.TaintEffect'],
  [SECONDS, 'int64'],
];

/**
 * Decodes the tolerations of an annotation: names match regardless of case, and unknown ones are ignored. Throws an Error
 * with Go's text.
 * Upstream: encoding/json in extractNSTolerations of plugin/pkg/admission/podtolerationrestriction
 */
export function annotatedTolerations(text: string): readonly Toleration[] {
  const value = parseJsonValue(Buffer.from(text));
  if (value === null) return [];
  if (!Array.isArray(value)) throw mistyped(jsonTypeName(value), 'Go value of type []v1.Toleration');
  return value.map(tolerationOf);
}

/** Null is a toleration without fields. */
function tolerationOf(value: unknown): Toleration {
  if (value === null) return {};
  if (!isMembers(value)) throw mistyped(jsonTypeName(value), 'Go value of type v1.Toleration');
  const toleration: Members = {};
  for (const [name, member] of Object.entries(value)) {
    const found = FIELDS.find(([field]) => namesGoField(name, field));
    if (found === undefined || member === null) continue;
    const [field, type] = found;
    const fault = field === SECONDS ? secondsFault(member) : typeof member !== 'string' && jsonTypeName(member);
    if (fault) throw mistyped(fault, `Go struct field Toleration.${field} of type ${type}`);
    toleration[field] = member;
  }
  return toleration;
}

const isNumber = (value: unknown): value is number | bigint => typeof value === 'number' || typeof value === 'bigint';

/** The found type of a value that is no integer of 64 bits; false for one that is. */
function secondsFault(value: unknown): string | false {
  if (!isNumber(value)) return jsonTypeName(value);
  const fits =
    (typeof value === 'bigint' || Number.isInteger(value)) && BigInt.asIntN(64, BigInt(value)) === BigInt(value);
  return !fits && `number ${value}`;
}

function mistyped(found: string, type: string): Error {
  return new Error(`json: cannot unmarshal ${found} into ${type}`);
}
