import { parseJsonValue } from '@apiserver/apimachinery/codec/json';
import { isDecodeError } from '@apiserver/apimachinery/errors';
import { isMembers, jsonTypeName } from '@apiserver/apimachinery/json';
import { isParseError } from '@apiserver/apimachinery/text';
import { parseTime } from '@apiserver/apimachinery/values';

/** A type of upstream's, with its name in messages. */
export type GoType = GoScalar | GoList | GoStruct;

interface GoScalar {
  readonly name: string;
  /** A time is a text in JSON. Its type decodes itself, so that faults do not name the field. */
  readonly scalar: 'bool' | 'int64' | 'string' | 'time';
}

interface GoList {
  readonly name: string;
  readonly items: GoType;
}

export interface GoStruct {
  readonly name: string;
  /** The types of the fields by their names in JSON. */
  readonly fields: Readonly<Record<string, GoType>>;
  /** The struct has no JSON tags: messages have the names of its fields, in upper case. */
  readonly isUntagged?: boolean;
}

/** The decoded value, which is undefined for null, or the reason why the text is not of the type. */
export type DecodedGo<T> = { readonly value: T | undefined } | { readonly fault: string };

/**
 * Decodes JSON in a text, such as an annotation, as encoding/json does: names in any case, unknown fields ignored. The
 * caller knows that `T` is the form of `type`. The first wrong type is the fault.
 */
export function decodeGo<T>(text: string, type: GoType): DecodedGo<T> {
  const decoder = new Decoder();
  try {
    const value = decoder.decode(parseJsonValue(Buffer.from(text)), type, undefined);
    return decoder.fault === undefined ? { value: value as T | undefined } : { fault: decoder.fault };
  } catch (error) {
    if (isDecodeError(error)) return { fault: error.message };
    throw error;
  }
}

/** Where a value is: the struct that has it, and the fields that lead to it. */
interface Place {
  readonly struct: string;
  readonly fields: readonly string[];
}

class Decoder {
  fault: string | undefined;

  decode(value: unknown, type: GoType, place: Place | undefined): unknown {
    if (value === null) return undefined;
    if ('items' in type) {
      if (!Array.isArray(value)) return this.#refuse(jsonTypeName(value), type, place);
      return value.map((item) => this.decode(item, type.items, place) ?? ('fields' in type.items ? {} : undefined));
    }
    if ('fields' in type) {
      return isMembers(value) ? this.#decodeFields(value, type, place) : this.#refuse(jsonTypeName(value), type, place);
    }
    if (type.scalar === 'time') return this.#decodeTime(value);
    const kind = jsonTypeName(value);
    if (type.scalar !== 'int64') return kind === type.scalar ? value : this.#refuse(kind, type, place);
    if (kind !== 'number') return this.#refuse(kind, type, place);
    return isInt64(value) ? value : this.#refuse(`number ${value}`, type, place);
  }

  /** Upstream: UnmarshalJSON of k8s.io/apimachinery/pkg/apis/meta/v1/time.go */
  #decodeTime(value: unknown): string | undefined {
    if (typeof value !== 'string')
      return this.#refuse(jsonTypeName(value), { name: 'string', scalar: 'string' }, undefined);
    try {
      return parseTime(value) ?? undefined;
    } catch (error) {
      if (!isParseError(error)) throw error;
      this.fault ??= error.message;
      return undefined;
    }
  }

  #decodeFields(value: object, type: GoStruct, place: Place | undefined): object {
    const names = new Map(Object.keys(type.fields).map((name) => [name.toLowerCase(), name] as const));
    const decoded: Record<string, unknown> = {};
    for (const [key, item] of Object.entries(value)) {
      const name = names.get(key.toLowerCase());
      const field = name === undefined ? undefined : type.fields[name];
      if (name === undefined || field === undefined) continue;
      const shown = type.isUntagged ? name.charAt(0).toUpperCase() + name.slice(1) : name;
      const result = this.decode(item, field, { struct: type.name, fields: [...(place?.fields ?? []), shown] });
      if (result !== undefined) decoded[name] = result;
    }
    return decoded;
  }

  #refuse(found: string, { name }: GoType, place: Place | undefined): undefined {
    const local = (struct: string) => struct.slice(struct.indexOf('.') + 1);
    const where = place ? `Go struct field ${local(place.struct)}.${place.fields.join('.')}` : 'Go value';
    this.fault ??= `json: cannot unmarshal ${found} into ${where} of type ${name}`;
    return undefined;
  }
}

function isInt64(value: unknown): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && isInt64(BigInt(value));
  return typeof value === 'bigint' && BigInt.asIntN(64, value) === value;
}
