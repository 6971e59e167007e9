import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { ConfigMap } from '@apiserver/api/core/v1';
import { compileKind } from '@apiserver/apimachinery/codec';
import {
  cborTypeMeta,
  decodeCbor,
  decodeCborSteps,
  encodeCbor,
  encodeCborSteps,
  isCborObject,
} from '@apiserver/apimachinery/codec/cbor';
import { isDecodeError } from '@apiserver/apimachinery/errors';
import type { KindSchema } from '@apiserver/apimachinery/schema';
import { describe, expect, it } from 'vitest';
import { groupVersions } from './index.js';

const configMaps = compileKind(ConfigMap);
/** `[JSON, strict errors…]`, or the error for the bytes. */
const read = (hex: string): string | readonly string[] => {
  const bytes = Buffer.from(hex, 'hex');
  try {
    cborTypeMeta(bytes);
    const { object, strictErrors } = decodeCbor(configMaps, bytes, 'Strict');
    return [Buffer.from(configMaps.encodeJson(object)).toString(), ...strictErrors];
  } catch (error) {
    if (isDecodeError(error)) return error.message;
    throw error;
  }
};

const typeMeta = 'unable to determine group/version/kind: cbor:';
const intoField = (what: string, field: string, type: string) =>
  `cbor: cannot unmarshal ${what} into Go struct field v1.ConfigMap.${field} of type ${type}`;

// All expectations are the results of k8s.io/apimachinery 0.36 for the same bytes.
describe('decodeCbor', () => {
  it.each<[string, string | readonly string[]]>([
    ['a14464617461a1416b4176', ['{"metadata":{},"data":{"k":"v"}}']],
    ['a14464617461a1416b01', intoField('positive integer', 'data', 'string')],
    ['a1486d65746164617461a1446e616d6501', intoField('positive integer', 'metadata', 'string')],
    ['a149696d6d757461626c6501', intoField('positive integer', 'immutable', 'bool')],
    ['a14a62696e61727944617461a1416b445a6d3976', ['{"metadata":{},"binaryData":{"k":"Zm9v"}}']],
    ['a14a62696e61727944617461a1416bd643666f6f', ['{"metadata":{},"binaryData":{"k":"Zm9v"}}']],
    ['a14a62696e61727944617461a1416b63666f6f', intoField('UTF-8 text string', 'binaryData', '[]uint8')],
    ['a14a62696e61727944617461a1416b83010203', ['{"metadata":{},"binaryData":{"k":"AQID"}}']],
    ['a14a62696e61727944617461a1416b80', ['{"metadata":{},"binaryData":{"k":""}}']],
    ['a14a62696e61727944617461a1416b9f0102ff', ['{"metadata":{},"binaryData":{"k":"AQI="}}']],
    ['a14a62696e61727944617461a1416b81f6', ['{"metadata":{},"binaryData":{"k":"AA=="}}']],
    ['a14a62696e61727944617461a1416bd6820102', ['{"metadata":{},"binaryData":{"k":"AQI="}}']],
    ['a14a62696e61727944617461a1416b8200c100', ['{"metadata":{},"binaryData":{"k":"AAA="}}']],
    [
      'a14a62696e61727944617461a1416b8301190101f6',
      `${intoField('positive integer', 'binaryData', 'uint8')} (257 overflows uint8)`,
    ],
    ['a14a62696e61727944617461a1416b83012003', intoField('negative integer', 'binaryData', 'uint8')],
    [
      'a14a62696e61727944617461a1416b813bffffffffffffffff',
      `${intoField('negative integer', 'binaryData', 'uint8')} (-18446744073709551616 overflows Go's int64)`,
    ],
    ['a14a62696e61727944617461a1416b8261610a', intoField('UTF-8 text string', 'binaryData', 'uint8')],
    ['a14a62696e61727944617461a1416b824101f5', intoField('byte string', 'binaryData', 'uint8')],
    ['a14a62696e61727944617461a1416b81f93c00', intoField('primitives', 'binaryData', 'uint8')],
    ['a14a62696e61727944617461a1416b818101', intoField('array', 'binaryData', 'uint8')],
    ['a14a62696e61727944617461a1416b81a0', intoField('map', 'binaryData', 'uint8')],
    [
      'a14a62696e61727944617461a1416b4121',
      'cbor: failed to decode base64 from byte string: illegal base64 data at input byte 0',
    ],
    ['a1486d6574616461746162c328', 'cbor: invalid UTF-8 string'],
    // A skipped string in pieces.
    ['a1417a5f4166ff', ['{"metadata":{}}', 'cbor: found unknown field at map element index 0']],
    [
      'a2417a7f6161626464ff4464617461a1416b4176',
      ['{"metadata":{},"data":{"k":"v"}}', 'cbor: found unknown field at map element index 0'],
    ],
    ['a101f6', ['{"metadata":{}}', 'cbor: found unknown field at map element index 0']],
    ['a24464617461f64464617461f6', `${typeMeta} found duplicate map key "data" at map element index 1`],
    ['01', `${typeMeta} cannot unmarshal positive integer into Go value of type v1.TypeMeta`],
    [
      'a1486d65746164617461a1516372656174696f6e54696d657374616d7043626164',
      'parsing time "bad" as "2006-01-02T15:04:05Z07:00": cannot parse "bad" as "2006"',
    ],
  ])('%s', (hex, expected) => expect(read(hex)).toEqual(expected));
});

describe('CBOR in steps', () => {
  /** Counts the steps, and returns their result. */
  const counted = <T>(steps: Generator<void, T>): { readonly pauses: number; readonly value: T } => {
    for (let pauses = 0; ; pauses++) {
      const { done, value } = steps.next();
      if (done) return { pauses, value };
    }
  };
  const many = <T>(count: number, value: T) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${count - i}`, value]));

  it.each<[string, Partial<ConfigMap>]>([
    ['keys', { data: many(50_000, 'v') }],
    ['keys of bytes', { binaryData: many(50_000, 'aGk=') }],
    ['finalizers', { metadata: { finalizers: Object.keys(many(50_000, '')) } }],
    ['fields of managers', { metadata: { managedFields: [{ fieldsV1: { 'f:data': many(50_000, {}) } }] } }],
  ])('pauses at least every 5,000 %s', (_, object) => {
    const encoding = counted(encodeCborSteps(ConfigMap, object as ConfigMap));
    const decoding = counted(decodeCborSteps(configMaps, encoding.value, 'Strict'));
    expect(Math.min(encoding.pauses, decoding.pauses)).toBeGreaterThanOrEqual(10);
    expect(decoding.value.object).toEqual(
      configMaps.decodeJson(configMaps.encodeJson(object as ConfigMap), 'Strict').object,
    );
  });
});

const folder = new URL('../../../../shared/testdata/roundtrip/v1.36.0/', import.meta.url);
const names = existsSync(folder) ? readdirSync(folder).filter((file) => /^[^_]*\.json$/.test(file)) : [];

describe.skipIf(names.length === 0)('goldens of upstream in CBOR (skipped when ../shared/testdata is absent)', () => {
  it('are the same after they were encoded and decoded', async () => {
    const kinds = new Map<string, KindSchema<unknown>>();
    for (const entry of groupVersions) {
      for (const kind of (await entry.load()).kinds()) {
        const { group, version } = kind.gvk;
        kinds.set(`${group === '' ? 'core' : group}.${version}.${kind.gvk.kind}.json`, kind);
      }
    }
    const known = names.flatMap((name) => kinds.get(name) ?? []);
    const changed = known.filter((kind) => {
      const { group, version, kind: name } = kind.gvk;
      const codec = compileKind(kind);
      const file = new URL(`${group === '' ? 'core' : group}.${version}.${name}.json`, folder);
      const { object } = codec.decodeJson(readFileSync(file), 'Strict');
      const bytes = encodeCbor(kind, object);
      const back = decodeCbor(codec, bytes, 'Strict');
      return !isCborObject(bytes) || back.strictErrors.length > 0 || !sameJson(codec.encodeJson(back.object), file);
    });
    expect([known.length > 150, changed]).toEqual([true, []]);
  });
});

/** Raw values have sorted keys after decoding, so their order does not count. */
function sameJson(json: Uint8Array, golden: URL): boolean {
  const sorted = (text: string): string =>
    JSON.stringify(JSON.parse(text), (_, value: unknown) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
        : value,
    );
  return sorted(Buffer.from(json).toString()) === sorted(readFileSync(golden, 'utf8'));
}
