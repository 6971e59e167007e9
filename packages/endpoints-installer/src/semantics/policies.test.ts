import type { GroupVersionKind, KubeObject } from '@apiserver/apimachinery';
import { isStatusError } from '@apiserver/apimachinery/errors';
import type { AnyResourceDefinition, StoredList } from '@apiserver/apiserver-contracts';
import { describe, expect, it } from 'vitest';
import { testDefinition } from '../testing/index.js';
import type { StatedBody } from './kind-policy.js';
import { kindPolicyOf, resourcePolicyOf } from './policies.js';

const kind: GroupVersionKind = { group: 'example.com', version: 'v1', kind: 'Widget' };
const scale: GroupVersionKind = { group: 'autoscaling', version: 'v1', kind: 'Scale' };

function definitionOf(...semantics: ('typed' | 'structural')[]): AnyResourceDefinition {
  const definition = testDefinition();
  const [version] = definition.versions;
  if (version === undefined) throw new TypeError('the definition has no version');
  return {
    ...definition,
    kind: kind.kind,
    versions: semantics.map((one) => ({ ...version, schema: { ...version.schema, semantics: one } })),
  };
}

const [typed, structural] = [kindPolicyOf({ semantics: 'typed' }), kindPolicyOf({ semantics: 'structural' })];

/** The result of a call, or the code and message of its error. */
function outcome(call: () => unknown): unknown {
  try {
    return call();
  } catch (error) {
    if (!isStatusError(error)) throw error;
    return `${error.status.code} ${error.status.message}`;
  }
}

it('is custom as soon as one version is structural', () => {
  const isCustom = (definition: AnyResourceDefinition) => !resourcePolicyOf(definition).hasProtobuf;
  expect([
    isCustom(definitionOf('typed')),
    isCustom(definitionOf('typed', 'structural')),
    isCustom(definitionOf('structural')),
  ]).toEqual([false, true, true]);
});

it('converts merged objects, but no scale of a custom resource', () => {
  const fault = (semantics: 'typed' | 'structural', of: GroupVersionKind) => {
    const definition = definitionOf(semantics);
    return resourcePolicyOf(definition).conversionFault(of, definition);
  };
  expect([fault('typed', scale), fault('structural', kind), fault('structural', scale)]).toEqual([
    undefined,
    undefined,
    'request to convert CR to an invalid group/version: autoscaling/v1',
  ]);
});

it('names the scheme of each kind, and no reason for a scale of a custom resource', () => {
  const schemeOf = (group: string) =>
    resourcePolicyOf(definitionOf('typed')).schemeName({ group, version: 'v1', kind: 'X' });
  expect(['apps', 'apiextensions.k8s.io', 'apiregistration.k8s.io'].map(schemeOf)).toEqual([
    'pkg/api/legacyscheme/scheme.go:30',
    'pkg/apiserver/apiserver.go:55',
    'pkg/apiserver/scheme/scheme.go:28',
  ]);
  const custom = definitionOf('structural');
  const { schemeName, bodyFault } = resourcePolicyOf(custom);
  expect([schemeName(scale), bodyFault(kind, custom), bodyFault(scale, custom)]).toEqual([
    'k8s.io/client-go/scale/util.go:146',
    undefined,
    'no kind is registered for the type v1.Scale in scheme "pkg/apiserver/customresource_handler.go:781"',
  ]);
});

it('refuses list metadata of one object in the words of its Go type', () => {
  const refusal = (semantics: 'typed' | 'structural', of: GroupVersionKind) => {
    const definition = definitionOf(semantics);
    const { status } = resourcePolicyOf(definition).notAList('PartialObjectMetadataList', of, definition);
    return `${status.code} ${status.message}`;
  };
  const wrong = '406 you requested PartialObjectMetadataList, but the requested object is not a list';
  expect([refusal('typed', scale), refusal('structural', kind), refusal('structural', scale)]).toEqual([
    `${wrong} (*autoscaling.Scale)`,
    '500 content is not a list',
    `${wrong} (*v1.Scale)`,
  ]);
});

describe('the kind that a body states', () => {
  const body = (sent: { readonly apiVersion?: string | null; readonly kind?: string }): StatedBody => ({
    apiVersion: sent.apiVersion ?? '',
    kind: sent.kind ?? '',
    member: (name) => sent[name],
  });

  it.each([
    ['both', body({ apiVersion: 'other.com/v2', kind: 'Gadget' }), 'other.com/v2 Gadget', 'other.com/v2 Gadget'],
    [
      'no kind',
      body({ apiVersion: 'example.com/v1' }),
      'example.com/v1 Widget',
      /Object 'Kind' is missing in 'TEXT' \(START\)$/,
    ],
    [
      'no kind, unchecked',
      body({ apiVersion: 'other.com/v2' }),
      'other.com/v2 Widget',
      /^400 Widget in version "v2" cannot be handled as a Widget: Object 'Kind' is missing in 'JSON'$/,
    ],
    ['no version', body({ kind: 'Widget' }), 'example.com/v1 Widget', '/ Widget'],
    [
      'null as its version',
      body({ apiVersion: null, kind: 'Widget' }),
      'example.com/v1 Widget',
      /<nil>, expected string$/,
    ],
    ['no version in CBOR', body({ kind: 'Widget' }), 'example.com/v1 Widget', /'apiVersion' is missing in 'TEXT'$/],
  ])('%s', (which, stated, ofTyped, ofStructural) => {
    const show = () => ({
      isCbor: which.endsWith('CBOR'),
      text: () => 'TEXT',
      json: () => 'JSON',
      summary: () => 'START',
    });
    const kinds = [typed, structural].map(({ body: policy }) =>
      outcome(() => {
        const { group, version, kind: name } = policy.statedKind(stated, kind, show, !which.endsWith('unchecked'));
        return `${group}/${version} ${name}`;
      }),
    );
    expect(kinds[0]).toBe(ofTyped);
    expect(kinds[1]).toEqual(typeof ofStructural === 'string' ? ofStructural : expect.stringMatching(ofStructural));
  });
});

it('gives a patched object its kind, or refuses the storage version', () => {
  const settle = (policy: typeof typed, apiVersion: string) =>
    outcome(() => {
      const object: KubeObject = { apiVersion, kind: 'Gadget', metadata: { name: 'w' } };
      policy.body.settlePatchedKind(object, kind, 'v2');
      return `${object.apiVersion} ${object.kind}`;
    });
  expect([
    settle(typed, 'example.com/v2'),
    settle(structural, 'example.com/v3'),
    settle(structural, 'example.com/v2'),
  ]).toEqual([
    'example.com/v1 Widget',
    'example.com/v3 Gadget',
    expect.stringMatching(/^422 .*apiVersion: Invalid value: "example.com\/v2": must be example.com\/v1$/),
  ]);
});

it('marks reset managed fields of built-in kinds only', () => {
  const marked = [typed, structural].map(({ body }) => {
    const object: KubeObject = { apiVersion: 'v1', kind: 'Widget', metadata: {} };
    body.markReset(object);
    return object.metadata.managedFields;
  });
  expect(marked).toEqual([[{}], undefined]);
});

it('writes the ends of a list in the order of its semantics', () => {
  const list: StoredList = { items: [], resourceVersion: '7' };
  const names = { apiVersion: 'example.com/v1', kind: 'WidgetList', itemKind: 'Widget' };
  const written = [typed, structural].map(({ lists }) => {
    const { head, tail, skip } = lists.jsonEnds(names);
    return [head(list) + tail(list), skip];
  });
  expect(written).toEqual([
    [
      '{"kind":"WidgetList","apiVersion":"example.com/v1","metadata":{"resourceVersion":"7"},"items":[]}',
      '{"kind":"Widget","apiVersion":"example.com/v1",'.length,
    ],
    [
      '{"apiVersion":"example.com/v1","items":[],"kind":"WidgetList","metadata":{"continue":"","resourceVersion":"7"}}',
      0,
    ],
  ]);
});
