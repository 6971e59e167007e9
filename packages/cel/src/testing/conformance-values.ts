import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  NULL,
  optionalOf,
  STRING,
  TIMESTAMP,
  typeOf,
  UINT,
} from '../types/cel-type.js';
import { ArrayList } from '../values/lists.js';
import { EntryMap } from '../values/maps.js';
import { Double, intOf, Uint } from '../values/number.js';
import type { Value } from '../values/value.js';

/** A type of a conformance test, in JSON. */
export interface SpecType {
  readonly primitive?: string;
  readonly dyn?: unknown;
  readonly null?: unknown;
  readonly wellKnown?: string;
  readonly listType?: { readonly elemType: SpecType };
  readonly mapType?: { readonly keyType: SpecType; readonly valueType: SpecType };
  readonly type?: SpecType;
  readonly abstractType?: { readonly name: string; readonly parameterTypes: readonly SpecType[] };
}

/** A value of a conformance test, in JSON. */
export interface SpecValue {
  readonly int64Value?: string;
  readonly uint64Value?: string;
  readonly doubleValue?: number | string;
  readonly stringValue?: string;
  readonly boolValue?: boolean;
  readonly bytesValue?: string;
  readonly nullValue?: unknown;
  readonly listValue?: { readonly values?: readonly SpecValue[] };
  readonly mapValue?: { readonly entries?: readonly { readonly key: SpecValue; readonly value: SpecValue }[] };
  readonly typeValue?: string;
  readonly objectValue?: { readonly '@type': string; readonly value?: string };
}

/** A conformance test, in JSON. */
export interface SpecTest {
  readonly expr: string;
  readonly checkOnly?: boolean;
  readonly disableCheck?: boolean;
  readonly container?: string;
  readonly typeEnv?: readonly { readonly name: string; readonly ident?: { readonly type: SpecType } }[];
  readonly bindings?: Readonly<Record<string, { readonly value: SpecValue }>>;
  readonly evalError?: unknown;
  readonly value?: SpecValue;
  readonly typedResult?: { readonly result?: SpecValue };
}

/** A test needs a message that is no type here. */
export class UnknownMessage extends Error {
  override readonly name = 'UnknownMessage';
}

const NAMED: Readonly<Record<string, CelType>> = {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  INT64: INT,
  STRING,
  TIMESTAMP,
  UINT64: UINT,
};

/** The type that a test declares. Throws UnknownMessage. */
export function specType(type: SpecType): CelType {
  const { primitive, wellKnown, listType, mapType, abstractType } = type;
  const named = NAMED[primitive ?? wellKnown ?? ''];
  if (named !== undefined) return named;
  if (type.dyn !== undefined) return DYN;
  if (type.null !== undefined) return NULL;
  if (listType !== undefined) return listOf(specType(listType.elemType));
  if (mapType !== undefined) return mapOf(specType(mapType.keyType), specType(mapType.valueType));
  if (type.type !== undefined) return typeOf(specType(type.type));
  const [held] = abstractType?.name === 'optional_type' ? abstractType.parameterTypes : [];
  if (held === undefined) throw new UnknownMessage();
  return optionalOf(specType(held));
}

/** The value of a test; `evaluate` makes times and durations. Throws UnknownMessage. */
export function specValue(value: SpecValue, evaluate: (text: string) => Value): Value {
  if (value.int64Value !== undefined) return intOf(BigInt(value.int64Value));
  if (value.uint64Value !== undefined) return new Uint(intOf(BigInt(value.uint64Value)));
  if (value.doubleValue !== undefined) return new Double(Number(value.doubleValue));
  if (value.bytesValue !== undefined) return new Uint8Array(Buffer.from(value.bytesValue, 'base64'));
  if (value.listValue !== undefined) {
    return new ArrayList((value.listValue.values ?? []).map((element) => specValue(element, evaluate)));
  }
  if (value.mapValue !== undefined) {
    const map = new EntryMap();
    for (const entry of value.mapValue.entries ?? []) {
      map.set(specValue(entry.key, evaluate), specValue(entry.value, evaluate));
    }
    return map;
  }
  if (value.objectValue !== undefined) return wellKnownValue(value.objectValue, evaluate);
  return value.stringValue ?? value.boolValue ?? null;
}

function wellKnownValue(
  { '@type': type, value }: NonNullable<SpecValue['objectValue']>,
  evaluate: (text: string) => Value,
): Value {
  if (type.endsWith('.Timestamp')) return evaluate(`timestamp('${value}')`);
  if (type.endsWith('.Duration')) return evaluate(`duration('${value}')`);
  throw new UnknownMessage();
}
