import { compileKind, type KindCodec } from '@apiserver/apimachinery/codec';
import * as cbor from '@apiserver/apimachinery/codec/cbor';
import { type KindSchema, OMIT_EMPTY, STRING, struct } from '@apiserver/apimachinery/schema';
import { describe, expect, it } from 'vitest';
import { nopConverter, type ObjectConverter } from './object-converter.js';
import { type VersionConversionOptions, versionConversion } from './version-conversion.js';

const metadata = struct('meta.ObjectMeta', 'v1.ObjectMeta', () => [['name', 1, STRING, OMIT_EMPTY]]);

function codecOf(version: string, field: string): KindCodec {
  const spec = struct('', 'object', () => [
    ['text', 0, STRING, OMIT_EMPTY],
    [field, 0, { ...STRING, default: version }, OMIT_EMPTY],
  ]);
  const schema = struct(`com.example.${version}.Widget`, 'object', () => [
    ['apiVersion', 0, STRING, OMIT_EMPTY],
    ['kind', 0, STRING, OMIT_EMPTY],
    ['metadata', 0, metadata],
    ['spec', 0, spec, OMIT_EMPTY],
  ]);
  const gvk = { group: 'example.com', version, kind: 'Widget' };
  return compileKind({ gvk, semantics: 'structural', schema } as KindSchema);
}

const codecs = new Map([
  ['example.com/v1', codecOf('v1', 'old')],
  ['example.com/v2', codecOf('v2', 'fresh')],
]);
const webhook: ObjectConverter = { convert: async (object, apiVersion) => ({ ...object, apiVersion }) };
const conversion = (changes: Partial<VersionConversionOptions>) =>
  versionConversion({
    codecs,
    apiVersion: 'example.com/v2',
    storedApiVersion: 'example.com/v1',
    converter: nopConverter,
    mayBeOutdated: false,
    readCbor: cbor,
    ...changes,
  });

const SMALL = 'x';
const LARGE = 'x'.repeat(300 * 1024);
const atRest = (version: string, text: string) =>
  JSON.stringify({
    apiVersion: `example.com/${version}`,
    kind: 'Widget',
    metadata: { name: 'a' },
    odd: 1,
    spec: { text },
  });
/** The result for a large text with the small one in its place. */
const shown = (bytes: Uint8Array) => {
  const value: unknown = cbor.isCborObject(bytes)
    ? cbor.decodeCborMap(bytes)
    : JSON.parse(Buffer.from(bytes).toString());
  return JSON.stringify(value).replace(LARGE, SMALL);
};

describe('a large object', () => {
  it.each<[string, string, Partial<VersionConversionOptions>]>([
    ['of its own version', 'v2', {}],
    ['that may be outdated', 'v2', { mayBeOutdated: true }],
    ['of another version', 'v1', {}],
    ['of another version, by a webhook', 'v1', { converter: webhook }],
    ['of another version, for storage in CBOR', 'v1', { cbor }],
  ])('is read as a small one: %s', async (_, version, changes) => {
    const { schema } = codecs.get(`example.com/${version}`) ?? never();
    const read = async (text: string, isCbor = false) => {
      const json = atRest(version, text);
      const stored = isCbor ? cbor.encodeCbor(schema, JSON.parse(json)) : Buffer.from(json);
      const { bytes, stale } = await conversion(changes).fromStored(stored);
      return [shown(bytes), stale];
    };
    expect(await read(LARGE)).toEqual(await read(SMALL));
    expect(await read(LARGE, true)).toEqual(await read(SMALL, true));
  });

  it.each<[string, Partial<VersionConversionOptions>]>([
    ['in another version', {}],
    ['in another version, by a webhook', { converter: webhook }],
    ['in its own version', { storedApiVersion: 'example.com/v2' }],
    ['in CBOR', { cbor }],
    ['in its own version, in CBOR', { cbor, storedApiVersion: 'example.com/v2' }],
  ])('is stored as a small one: %s', async (_, changes) => {
    const stored = async (text: string) => shown(await conversion(changes).toStored(Buffer.from(atRest('v2', text))));
    expect(await stored(LARGE)).toBe(await stored(SMALL));
  });

  it('is refused if no version of the definition is its own', async () => {
    await expect(conversion({}).fromStored(Buffer.from(atRest('v9', LARGE)))).rejects.toThrow('invalid group/version');
  });
});

function never(): never {
  throw new TypeError('no such version');
}
