import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { atOnce } from '@apiserver/apimachinery/clock';
import { compileKind, type KindCodec } from '@apiserver/apimachinery/codec';
import { cborItemOfJson, cborOfJson, encodeCbor, encodeCborItemSteps } from '@apiserver/apimachinery/codec/cbor';
import type { KindSchema } from '@apiserver/apimachinery/schema';
import { beforeAll, describe, expect, it } from 'vitest';
import { groupVersions, metaKind } from './index.js';

const folder = new URL('../../../../shared/testdata/roundtrip/v1.36.0/', import.meta.url);
/**
 * Every object of the folder, except `*.after_roundtrip`: these belong to a later release, with fields that 1.36
 * removed or added.
 */
const names = existsSync(folder)
  ? readdirSync(folder)
      .filter((file) => file.endsWith('.json') && !file.includes('.after_roundtrip.'))
      .map((file) => file.slice(0, -'.json'.length))
  : [];

/** Kinds by the names of their files: `core.v1.ConfigMap`. */
const kinds = new Map<string, KindSchema<unknown>>();

beforeAll(async () => {
  for (const entry of groupVersions) {
    const groupVersion = await entry.load();
    for (const kind of groupVersion.kinds()) {
      const { group, version } = kind.gvk;
      kinds.set(`${group === '' ? 'core' : group}.${version}.${kind.gvk.kind}`, kind);
    }
  }
});

function read(name: string, extension: string): Uint8Array {
  return readFileSync(new URL(`${name}.${extension}`, folder));
}

/** The format of the goldens: JSON indented by two spaces. */
function compact(golden: Uint8Array): string {
  return JSON.stringify(JSON.parse(Buffer.from(golden).toString('utf8')));
}

function codecOf(name: string): KindCodec<unknown> {
  const kind = kinds.get(name) ?? metaKind(name.slice('core.v1.'.length), { group: '', version: 'v1' });
  if (kind === undefined) throw new Error(`no kind for ${name}`);
  return compileKind(kind);
}

describe.skipIf(names.length === 0)('goldens of upstream (skipped when ../shared/testdata is absent)', () => {
  it.each(names)('%s', (name) => {
    const codec = codecOf(name);
    const json = read(name, 'json');
    const yaml = read(name, 'yaml');
    const pb = read(name, 'pb');
    const fromJson = codec.decodeJson(json, 'Strict');
    const fromYaml = codec.decodeYaml(yaml, 'Strict');
    const fromProtobuf = codec.decodeProtobuf(pb);
    expect({ yaml: fromYaml, protobuf: fromProtobuf.object }).toEqual({ yaml: fromJson, protobuf: fromJson.object });
    expect(fromJson.strictErrors).toEqual([]);
    expect(Buffer.from(codec.encodeJson(fromJson.object)).toString('utf8')).toBe(compact(json));
    expect(Buffer.from(codec.encodeYaml(fromJson.object)).toString('utf8')).toBe(Buffer.from(yaml).toString('utf8'));
    expect(Buffer.from(codec.encodeProtobuf(fromJson.object)).toString('hex')).toBe(Buffer.from(pb).toString('hex'));
  });

  // Null in a map becomes a zero time, which only decoding knows.
  const undecided = names.filter((name) => name.endsWith('.PodDisruptionBudget'));

  it.each(names)('%s in JSON as protobuf and CBOR without decoding', (name) => {
    const codec = codecOf(name);
    const { object } = codec.decodeJson(read(name, 'json'), 'Strict');
    const json = codec.encodeJson(object);
    const hex = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString('hex');
    const converted = [codec.protobufOfJson(json), cborOfJson(codec.schema, json), cborItemOfJson(codec.schema, json)];
    const encoded = [
      codec.encodeProtobuf(object),
      encodeCbor(codec.schema, object),
      atOnce(encodeCborItemSteps(codec.schema, object)),
    ];
    expect(converted.map(hex)).toEqual(encoded.map(undecided.includes(name) ? () => undefined : hex));
  });
});
