import type { CustomResourceDefinition, JSONSchemaProps } from '@apiserver/api/apiextensions/v1';
import { fieldErrorMessage } from '@apiserver/apimachinery/field';
import { loadPatternEngine } from '@apiserver/apimachinery/patterns';
import { beforeAll, describe, expect, it } from 'vitest';
import { applyDefinitionDefaults } from '../defaults.js';
import { validateDefinition, validateDefinitionUpdate } from './validate-definition.js';
import type { DefinitionValidation } from './validate-version-schema.js';

let validation: DefinitionValidation;
beforeAll(async () => {
  validation = { compilePattern: await loadPatternEngine(), withRules: [] };
});

const anything: JSONSchemaProps = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

interface Parts {
  readonly spec?: Partial<CustomResourceDefinition['spec']>;
  readonly name?: string;
  readonly annotations?: Record<string, string>;
}

function definition({ spec = {}, name, annotations }: Parts = {}): CustomResourceDefinition {
  const made: CustomResourceDefinition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: name ?? `widgets.${spec.group ?? 'example.com'}`, ...(annotations && { annotations }) },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: anything } }],
      ...spec,
    },
    status: { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: ['v1'] },
  };
  applyDefinitionDefaults(made);
  return made;
}

function withSchema(openAPIV3Schema: JSONSchemaProps): CustomResourceDefinition {
  return definition({ spec: { versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }] } });
}

const messages = (crd: CustomResourceDefinition) => validateDefinition(crd, validation).map(fieldErrorMessage);
const SCHEMA = 'spec.validation.openAPIV3Schema';

it('accepts a valid definition', () => {
  expect(messages(definition())).toEqual([]);
});

describe('the number of versions', () => {
  const version = (i: number) => ({
    name: `v${i + 1}`,
    served: true,
    storage: i === 0,
    schema: { openAPIV3Schema: anything },
  });
  const versions = (length: number) => definition({ spec: { versions: Array.from({ length }, (_, i) => version(i)) } });
  const updated = (to: number, from: number) =>
    validateDefinitionUpdate(named(versions(to)), named(versions(from)), validation).map(fieldErrorMessage);
  const named = (crd: CustomResourceDefinition) => ({ ...crd, metadata: { ...crd.metadata, resourceVersion: '1' } });
  const tooMany = (count: number) => [`spec.versions: Too many: ${count}: must have at most 300 items`];

  it('is at most 300', () => {
    expect([messages(versions(300)), messages(versions(301))]).toEqual([[], tooMany(301)]);
  });

  it('may stay above that, and not grow', () => {
    expect([updated(302, 302), updated(301, 302), updated(303, 302)]).toEqual([[], [], tooMany(303)]);
  });
});

it('lists faults of each version, then of names, then those that all versions share', () => {
  const version = (name: string, isStorage: boolean) => ({
    name,
    served: true,
    storage: isStorage,
    deprecationWarning: 'old',
    schema: { openAPIV3Schema: { ...anything, nullable: true } },
    additionalPrinterColumns: [{ name: 'A', type: name.toLowerCase(), jsonPath: '.a' }],
  });
  const versions = [version('V1', true), version('v2', false)];
  const faulty = definition({ spec: { versions, names: { plural: 'widgets', kind: 'Widget', shortNames: ['W'] } } });
  expect(validateDefinition(faulty, validation).map(({ field }) => field)).toEqual([
    'spec.versions[0].name',
    'spec.versions[0].deprecationWarning',
    'spec.versions[0].additionalPrinterColumns[0].type',
    'spec.versions[1].deprecationWarning',
    'spec.versions[1].additionalPrinterColumns[0].type',
    'spec.version',
    'spec.names.shortNames[0]',
    `${SCHEMA}.nullable`,
    'status.storedVersions',
    'status.storedVersions[0]',
  ]);
});

describe('names, versions and other fields', () => {
  it.each<readonly [string, Parts, readonly string[]]>([
    [
      'another name',
      { name: 'other.example.com' },
      ['metadata.name: Invalid value: "other.example.com": must be spec.names.plural+"."+spec.group'],
    ],
    [
      'a group without a dot',
      { spec: { group: 'example' } },
      ['spec.group: Invalid value: "example": should be a domain with at least one dot'],
    ],
    [
      'a scope that is none',
      { spec: { scope: 'Universe' } },
      ['spec.scope: Unsupported value: "Universe": supported values: "Cluster", "Namespaced"'],
    ],
    [
      'no schema',
      { spec: { versions: [{ name: 'v1', served: true, storage: true }] } },
      ['spec.versions[0].schema.openAPIV3Schema: Required value'],
    ],
    [
      'no version to store in',
      { spec: { versions: [{ name: 'v1', served: true, storage: false, schema: { openAPIV3Schema: anything } }] } },
      [
        'spec.versions: Invalid value: [{"Name":"v1","Served":true,"Storage":false,"Deprecated":false,' +
          '"DeprecationWarning":null,"Schema":null,"Subresources":null,"AdditionalPrinterColumns":null,' +
          '"SelectableFields":null}]: must have exactly one version marked as storage version',
      ],
    ],
    [
      'one name for kind and list',
      { spec: { names: { plural: 'widgets', kind: 'Widget', listKind: 'Widget' } } },
      ['spec.names.listKind: Invalid value: "Widget": kind and listKind may not be the same'],
    ],
    [
      'conversion by a webhook without one',
      { spec: { conversion: { strategy: 'Webhook' } } },
      [
        'spec.conversion.webhookClientConfig: Required value: required when strategy is set to Webhook',
        'spec.conversion.conversionReviewVersions: Required value',
      ],
    ],
    [
      'a group of the community without approval',
      { spec: { group: 'sigs.k8s.io' } },
      [
        'metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval annotation ' +
          '"api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111',
      ],
    ],
    [
      'a group of the community with an approval',
      { spec: { group: 'sigs.k8s.io' }, annotations: { 'api-approved.kubernetes.io': 'https://example.com/1' } },
      [],
    ],
    [
      'preserveUnknownFields',
      { spec: { preserveUnknownFields: true } },
      [
        'spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to ' +
          'true in spec.versions[*].schema instead',
      ],
    ],
  ])('%s', (_what, parts, expected) => {
    expect(messages(definition(parts))).toEqual(expected);
  });
});

describe('schemas', () => {
  const field = (a: JSONSchemaProps): JSONSchemaProps => ({ type: 'object', properties: { a } });
  const A = `${SCHEMA}.properties[a]`;

  it.each<readonly [string, JSONSchemaProps, readonly string[]]>([
    ['no type at the root', {}, [`${SCHEMA}.type: Required value: must not be empty at the root`]],
    [
      'a type that is none',
      field({ type: 'strin' }),
      [
        `${A}.type: Unsupported value: "strin": supported values: "array", "boolean", "integer", "number", "object", "string"`,
      ],
    ],
    ['no type', field({}), [`${A}.type: Required value: must not be empty for specified object fields`]],
    ['reports only $ref if there is one', field({ $ref: '#/x' }), [`${A}.$ref: Forbidden: $ref is not supported`]],
    ['no items', field({ type: 'array' }), [`${A}.items: Required value: must be specified`]],
    [
      'what is empty below a junctor',
      field({ type: 'string', not: { 'x-kubernetes-list-map-keys': [], description: '', default: '' } }),
      [`${A}.not.default: Forbidden: must be undefined to be structural`],
    ],
    [
      'a type below a junctor',
      field({ type: 'string', allOf: [{ type: 'string' }] }),
      [`${A}.allOf[0].type: Forbidden: must be empty to be structural`],
    ],
    [
      'int-or-string spells its types',
      field({ 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] }),
      [],
    ],
    [
      'other properties are prohibited beside its types',
      field({
        'x-kubernetes-int-or-string': true,
        anyOf: [{ type: 'integer' }, { type: 'string', additionalProperties: false }],
      }),
      [],
    ],
    [
      'an example beside its types',
      field({ 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer', example: 1 }, { type: 'string' }] }),
      [0, 1].map((index) => `${A}.anyOf[${index}].type: Forbidden: must be empty to be structural`),
    ],
    [
      'a pattern that is none',
      field({ type: 'string', pattern: '(' }),
      [expect.stringContaining(`${A}.pattern: Invalid value: "(": must be a valid regular expression, but isn't: `)],
    ],
    [
      'a junctor of the root names what is not there',
      { type: 'object', anyOf: [{ properties: { q: {} } }] },
      [`${SCHEMA}.properties[q]: Required value: because it is defined in ${SCHEMA}.anyOf[0].properties[q]`],
    ],
    [
      'a default of unknown fields',
      field({ type: 'object', default: { x: 1 } }),
      [`${A}.default: Invalid value: {"x":1}: must not have unknown fields`],
    ],
    [
      'a default of unknown fields, which are shown in order',
      field({ type: 'object', default: { y: [{ b: 1, a: { d: 1, c: 2 } }], x: 1 } }),
      [`${A}.default: Invalid value: {"x":1,"y":[{"a":{"c":2,"d":1},"b":1}]}: must not have unknown fields`],
    ],
    [
      'a default of fields that are declared beside a made-up type',
      field({
        type: 'A',
        items: { 'x-kubernetes-preserve-unknown-fields': true },
        default: [{ k: 1 }],
        properties: { b: { type: 'A', properties: { c: { type: 'integer' } }, default: { c: 1, d: 2 } } },
      }),
      [
        `${A}.default: Invalid value: "array":  in body must be of type A: "array"`,
        `${A}.properties[b].default: Invalid value: {"c":1,"d":2}: must not have unknown fields`,
        `${A}.properties[b].default: Invalid value: "object":  in body must be of type A: "object"`,
        `${A}.type: Unsupported value: "A": supported values: "array", "boolean", "integer", "number", "object", "string"`,
        `${A}.properties[b].type: Unsupported value: "A": supported values: "array", "boolean", "integer", "number", "object", "string"`,
      ],
    ],
    [
      'a default that is not valid',
      field({ type: 'integer', default: 'x' }),
      [`${A}.default: Invalid value: "string":  in body must be of type integer: "string"`],
    ],
    [
      'the default of a text, which may be a list if there is any format',
      field({ type: 'string', format: 'double', default: [1] }),
      [],
    ],
    ...['constructor', '__proto__', 'uint32'].map(
      (format) =>
        [
          `the default of an integer with the format ${format}`,
          field({ type: 'integer', format, default: -1 }),
          [],
        ] as const,
    ),
    [
      'the default of an integer or text with a format, which no number has',
      field({ 'x-kubernetes-int-or-string': true, format: 'odd', default: 1 }),
      [`${A}.default: Invalid value: "int64":  in body must be of type odd: "int64"`],
    ],
    [
      'the default of a text without a format',
      field({ type: 'string', default: [1] }),
      [`${A}.default: Invalid value: "array":  in body must be of type string: "array"`],
    ],
    [
      'a list map without keys',
      field({ type: 'array', items: { type: 'object' }, 'x-kubernetes-list-type': 'map' }),
      [`${A}.x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map`],
    ],
    [
      'a list map with a key that every JavaScript object has',
      field({
        ...{ type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['constructor'] },
        items: { type: 'object', required: ['constructor'], properties: { a: { type: 'string' } } },
      }),
      [`${A}.x-kubernetes-list-map-keys: Invalid value: ["constructor"]: entries must all be names of item properties`],
    ],
    [
      'faults of structure beside others',
      field({ type: 'array', items: {}, uniqueItems: true }),
      [
        `${A}.items.type: Required value: must not be empty for specified array items`,
        `${A}.uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic`,
      ],
    ],
    [
      'values below a junctor that are not set',
      { type: 'object', not: { additionalProperties: false, default: null } },
      [],
    ],
    [
      'a junctor names a field that only additionalProperties allow',
      {
        ...field({ type: 'object', additionalProperties: {} }),
        anyOf: [{ properties: { a: { properties: { q: {} } } } }],
      },
      [
        `${A}.additionalProperties.type: Required value: must not be empty for specified object fields`,
        `${A}.properties[q]: Required value: because it is defined in ${SCHEMA}.anyOf[0].properties[a].properties[q]`,
      ],
    ],
    [
      'a junctor names a member of every JavaScript object',
      { type: 'object', anyOf: [{ properties: { constructor: {} } }] },
      [
        `${SCHEMA}.properties[constructor]: Required value: because it is defined in ${SCHEMA}.anyOf[0].properties[constructor]`,
      ],
    ],
    [
      'no structure, and nothing else',
      field({ type: 'object', $schema: 'http://x' }),
      [`${SCHEMA}: Invalid value: "": OpenAPIV3Schema 'schema' is not supported`],
    ],
    [
      'nullable at the root',
      { type: 'object', nullable: true },
      [`${SCHEMA}.nullable: Forbidden: nullable cannot be true at the root`],
    ],
  ])('%s', (_what, schema, expected) => {
    expect(messages(withSchema(schema))).toEqual(expected);
  });
});

it.each<readonly [string, readonly string[]]>([
  ['use \u{1f600} é\u0301', []],
  ['', ['must not be an empty string']],
  ['é'.repeat(129), ['must be <= 256 characters long']],
  ...['\u00a0', '\u2003', '\u2028', '\t'].map((character) => {
    const fault = 'must only contain printable UTF-8 characters; non-printable character found at index 4';
    return [`\u{1f600}${character}${character}`, [fault]] as const;
  }),
])('a version warns of itself: %j', (deprecationWarning, faults) => {
  const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: anything } };
  const crd = definition({ spec: { versions: [{ ...version, deprecated: true, deprecationWarning }] } });
  expect(validateDefinition(crd, validation).map(({ field, detail }) => [field, detail])).toEqual(
    faults.map((fault) => ['spec.versions[0].deprecationWarning', fault]),
  );
});

it('shows texts behind pointers in JSON', () => {
  const scale = { specReplicasPath: '.spec.a', statusReplicasPath: '.status.a', labelSelectorPath: '.<\u200b' };
  const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: anything } };
  const crd = definition({
    spec: { versions: [{ ...version, deprecationWarning: '<\u200b', subresources: { scale } }] },
  });
  expect(messages(crd)).toEqual([
    'spec.versions[0].deprecationWarning: Invalid value: "\\u003c\u200b": can only be set for deprecated versions',
    'spec.subresources.scale.labelSelectorPath: Invalid value: ".\\u003c\u200b": should be a json path under either .spec or .status',
  ]);
});

it('keeps group and plural and, once established, scope and kind', () => {
  const old = definition();
  old.status.conditions = [{ type: 'Established', status: 'True' }];
  old.metadata.resourceVersion = '1';
  const changed = definition({ spec: { scope: 'Cluster', names: { plural: 'widgets', kind: 'Gadget' } } });
  changed.metadata.resourceVersion = '1';
  expect(validateDefinitionUpdate(changed, old, validation).map(({ field, detail }) => [field, detail])).toEqual([
    ['spec.scope', 'field is immutable'],
    ['spec.names.kind', 'field is immutable'],
  ]);
});

it('names a stored version that is gone once', () => {
  const crd = definition();
  crd.status.storedVersions = ['v0', 'v1', 'v0'];
  expect(messages(crd)).toEqual([expect.stringMatching(/^status\.storedVersions\[2\]: Invalid value: "v0"/)]);
});

it('shows the internal form of a root that a status subresource forbids', () => {
  const schema = { openAPIV3Schema: { type: 'object', maxProperties: 1 } };
  const crd = definition({
    spec: { versions: [{ name: 'v1', served: true, storage: true, schema, subresources: { status: {} } }] },
  });
  expect(messages(crd)).toEqual([
    expect.stringMatching(/^spec\.validation\.openAPIV3Schema: Invalid value: \{"ID":"".*"MaxProperties":1.*: only \[/),
  ]);
});

it('keeps versions in which objects may be stored', () => {
  const crd = definition();
  crd.status.storedVersions = ['v1alpha1', 'v1'];
  expect(messages(crd)).toEqual([
    expect.stringMatching(/^status\.storedVersions\[0\]: Invalid value: "v1alpha1": missing from/),
  ]);
});
