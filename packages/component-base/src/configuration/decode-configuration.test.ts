import { Buffer } from 'node:buffer';
import { BOOL, list, named, OMIT_EMPTY, POINTER, STRING, struct } from '@apiserver/apimachinery/schema';
import { describe, expect, it } from 'vitest';
import { type ConfigurationScheme, configurationKinds } from './configuration-scheme.js';
import { decodeConfiguration, decodeConfigurationLeniently, decodeConfigurationValue } from './decode-configuration.js';

const TYPE_META =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
const HEAD = 'apiVersion: tides.example.com/v1\nkind: TideConfiguration\n';

const entry = struct('tides.v1.Harbour', 'v1.Harbour', () => [
  ['name', 0, STRING],
  ['open', 0, BOOL, OMIT_EMPTY],
  ['tide', 0, named('v1.Tide'), OMIT_EMPTY],
  ['foreign', 0, struct('io.k8s.api.core.v1.Foreign', 'v1.Foreign', () => []), OMIT_EMPTY + POINTER],
]);
const SCHEME: ConfigurationScheme = {
  kinds: configurationKinds(
    struct('tides.v1.TideConfiguration', 'v1.TideConfiguration', () => [
      ['kind', 0, STRING, OMIT_EMPTY],
      ['apiVersion', 0, STRING, OMIT_EMPTY],
      ['harbours', 0, list(entry, 'atomic'), OMIT_EMPTY],
    ]),
    [
      ['tides.example.com', 'v1', 'TideConfiguration'],
      ['tides.example.com', 'v1beta1', 'TideConfiguration'],
    ],
  ),
  name: 'pkg/tides/scheme.go:1',
};

function outcome(text: string, scheme = SCHEME): unknown {
  try {
    return decodeConfiguration(Buffer.from(text), scheme).object;
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : error;
  }
}

describe('decodeConfiguration', () => {
  it.each([
    ['v1', 'harbours: 1', 'TideConfiguration.harbours of type []v1.Harbour'],
    ['v1beta1', 'harbours: 1', 'TideConfiguration.harbours of type []v1beta1.Harbour'],
    ['v1beta1', 'harbours: [1]', 'TideConfiguration.harbours of type v1beta1.Harbour'],
    ['v1beta1', 'harbours: [{tide: 1}]', 'Harbour.harbours.tide of type v1beta1.Tide'],
    ['v1beta1', 'harbours: [{foreign: 1}]', 'Harbour.harbours.foreign of type v1.Foreign'],
  ])('names the types of %s: %s', (version, text, type) => {
    const head = HEAD.replace('/v1', `/${version}`);
    expect(outcome(head + text)).toBe(`ConfigurationError: json: cannot unmarshal number into Go struct field ${type}`);
  });

  it('decodes YAML and JSON, and tells the version', () => {
    const yaml = decodeConfiguration(Buffer.from(`${HEAD}harbours: [{name: a, open: true}, null]`), SCHEME);
    const json = '{"apiVersion":"tides.example.com/v1beta1","kind":"TideConfiguration","harbours":[]}';
    expect([yaml.gvk.version, yaml.object, decodeConfiguration(Buffer.from(json), SCHEME).gvk.version]).toEqual([
      'v1',
      {
        apiVersion: 'tides.example.com/v1',
        kind: 'TideConfiguration',
        harbours: [{ name: 'a', open: true }, { name: '' }],
      },
      'v1beta1',
    ]);
  });

  it('decodes a part of another file', () => {
    const value = { apiVersion: 'tides.example.com/v1', kind: 'TideConfiguration', harbours: [{ name: 'a' }] };
    expect(decodeConfigurationValue(value, SCHEME).object).toEqual(value);
    expect(() => decodeConfigurationValue({ ...value, more: 1 }, SCHEME)).toThrow('unknown field "more"');
  });

  // The messages are those of k8s.io/apimachinery v0.36.6 for an AdmissionConfiguration.
  it.each<[string, string]>([
    ['', "Object 'Kind' is missing in ''"],
    ['null', "Object 'Kind' is missing in 'null'"],
    ['kind: X', "Object 'apiVersion' is missing in 'kind: X'"],
    ['apiVersion: v1', "Object 'Kind' is missing in 'apiVersion: v1'"],
    [
      'apiVersion: tides.example.com/v2\nkind: TideConfiguration',
      'no kind "TideConfiguration" is registered for version "tides.example.com/v2" in scheme "pkg/tides/scheme.go:1"',
    ],
    [
      'KIND: Pod\nApiVersion: v1\nkind: null',
      'no kind "Pod" is registered for version "v1" in scheme "pkg/tides/scheme.go:1"',
    ],
  ])('does not know the kind of %j', (text, message) => {
    expect(outcome(text)).toBe(`ConfigurationError: ${message}`);
  });

  it.each<[string, string]>([
    [
      '[]',
      `couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type ${TYPE_META}`,
    ],
    [
      'text',
      `couldn't get version/kind; json parse error: json: cannot unmarshal string into Go value of type ${TYPE_META}`,
    ],
    [
      'apiVersion: 1\nkind: A',
      "couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .apiVersion of type string",
    ],
    [
      'kind: [1]',
      "couldn't get version/kind; json parse error: json: cannot unmarshal array into Go struct field .kind of type string",
    ],
    ['apiVersion: a/b/c\nkind: X', 'unexpected GroupVersion string: a/b/c'],
    [
      '{apiVersion: tides.example.com/v1}',
      "couldn't get version/kind; json parse error: invalid character 'a' looking for beginning of object key string",
    ],
    ['{"a":}', "couldn't get version/kind; json parse error: invalid character '}' looking for beginning of value"],
    ['\u2003{}', "couldn't get version/kind; json parse error: invalid character 'â' looking for beginning of value"],
    ['\ta: b', 'yaml: found character that cannot start any token'],
    [`${HEAD}more: 1`, 'strict decoding error: unknown field "more"'],
    [
      `${HEAD}harbours: {}`,
      'json: cannot unmarshal object into Go struct field TideConfiguration.harbours of type []v1.Harbour',
    ],
    [
      `${HEAD}harbours: [{name: A}, []]`,
      'json: cannot unmarshal array into Go struct field TideConfiguration.harbours of type v1.Harbour',
    ],
    [
      `${HEAD}harbours: [{name: 1}]`,
      'json: cannot unmarshal number into Go struct field Harbour.harbours.name of type string',
    ],
    [`${HEAD}harbours: [{name: A, names: x}]`, 'strict decoding error: unknown field "harbours[0].names"'],
    [
      `${HEAD}harbours: []\nharbours: []`,
      'strict decoding error: yaml: unmarshal errors:\n  line 4: key "harbours" already set in map',
    ],
    [
      '{"apiVersion":"tides.example.com/v1","kind":"TideConfiguration","harbours":[],"harbours":[],"x":1}',
      'strict decoding error: duplicate field "harbours", unknown field "x"',
    ],
  ])('refuses %j', (text, message) => {
    expect(outcome(text)).toBe(`ConfigurationError: ${message}`);
  });
});

describe('a default kind', () => {
  const [first] = SCHEME.kinds;
  const scheme = { ...SCHEME, isYaml: true, ...(first && { defaultKind: first.gvk }) };

  it.each<[string, unknown]>([
    ['{}', {}],
    ['{harbours: [{name: a}]}', { harbours: [{ name: 'a' }] }],
    ['kind: TideConfiguration', { kind: 'TideConfiguration' }],
    [
      'apiVersion: v2',
      'ConfigurationError: no kind "TideConfiguration" is registered for version "v2" in scheme "pkg/tides/scheme.go:1"',
    ],
    [
      'kind: Pod',
      'ConfigurationError: no kind "Pod" is registered for version "tides.example.com/v1" in scheme "pkg/tides/scheme.go:1"',
    ],
  ])('completes %j: %j', (text, expected) => {
    const found = outcome(text, scheme);
    expect(typeof found === 'object' ? { ...found } : found).toEqual(expected);
  });
});

it('decodes leniently, and tells the strict error', () => {
  const { object, strictError } = decodeConfigurationLeniently(Buffer.from(`${HEAD}more: 1`), SCHEME);
  expect([object, strictError]).toEqual([
    { apiVersion: 'tides.example.com/v1', kind: 'TideConfiguration' },
    'strict decoding error: unknown field "more"',
  ]);
});
