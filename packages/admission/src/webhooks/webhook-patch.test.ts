import { ConfigMap } from '@apiserver/api/core/v1';
import { ObjectMeta } from '@apiserver/api/meta/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import { compileKind } from '@apiserver/apimachinery/codec';
import { messageOf } from '@apiserver/apimachinery/errors';
import { type KindSchema, STRING, type StructSchema, struct } from '@apiserver/apimachinery/schema';
import type { EndpointVersion } from '@apiserver/apiserver-contracts';
import { expect, it } from 'vitest';
import { applyPatch, readPatch } from './webhook-patch.js';

const version = {
  kind: { group: '', version: 'v1', kind: 'ConfigMap' },
  resource: { group: '', version: 'v1', resource: 'configmaps' },
  versionDefinition: { version: 'v1', schema: ConfigMap },
  codec: compileKind(ConfigMap),
};

const add = (path: string, value: unknown) => ({ op: 'add', path, value });
const remove = (path: string) => ({ op: 'remove', path });
const NO_META = "Internal error occurred: couldn't get version/kind; json parse error: json: cannot unmarshal";

it.each<[string, object, unknown]>([
  ['a value', add('/data/b', 'x'), { k: '1', b: 'x' }],
  ['the removal of version', remove('/apiVersion'), { k: '1' }],
  ['the removal of kind', remove('/kind'), { k: '1' }],
  [
    'a version that is no string',
    add('/apiVersion', 1),
    `${NO_META} number into Go struct field .apiVersion of type string`,
  ],
  ['a kind that is no string', add('/kind', true), `${NO_META} bool into Go struct field .kind of type string`],
  [
    'another kind',
    add('/kind', 'Secret'),
    'Internal error occurred: admission webhook "w" attempted to change the kind of the object',
  ],
  [
    'another kind in other letters',
    add('/Kind', 'Secret'),
    'Internal error occurred: admission webhook "w" attempted to change the kind of the object',
  ],
  ['an empty version', add('/apiVersion', ''), { k: '1' }],
])('a patch with %s', async (_, operation, expected) => {
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: '1' } };
  const patch = readPatch('w', Buffer.from(JSON.stringify([operation])));
  const target = { webhookName: 'w', scope: { equivalents: () => [], kind: version.kind }, version, object };
  const outcome = await applyPatch(target, patch).then((patched) => patched.object['data'], messageOf);
  expect(outcome).toEqual(expected);
});

/** Each copy into the innermost object doubles the depth. */
const deeperThanStack = [
  add('/spec', { x: JSON.parse(`${'{"a":'.repeat(600)}{}${'}'.repeat(600)}`) }),
  ...[600, 1_200, 2_400, 4_800, 9_600].map((levels) => ({
    op: 'copy',
    from: '/spec/x',
    path: `/spec/x${'/a'.repeat(levels)}`,
  })),
];

const structural = (apiVersion: string): EndpointVersion => {
  const gvk = { group: 'example.com', version: apiVersion, kind: 'Widget' };
  const spec = struct('', '', () => [['size', 0, { ...STRING, default: apiVersion }]]);
  const { fields } = struct('', '', () => [
    ['apiVersion', 0, STRING],
    ['kind', 0, STRING],
    ['metadata', 0, ObjectMeta],
    ['spec', 0, spec],
  ]);
  const schema: StructSchema = {
    type: 'struct',
    name: '',
    goName: '',
    fields,
    protobuf: false,
    embeddedResource: true,
  };
  const kind: KindSchema = { gvk, schema, semantics: 'structural' };
  return {
    kind: gvk,
    resource: { group: 'example.com', version: apiVersion, resource: 'widgets' },
    versionDefinition: { version: apiVersion, schema: kind },
    codec: compileKind(kind),
  };
};

it.each<[string, readonly object[], unknown]>([
  ['a null', [add('/spec', null)], { ...widget('v1'), spec: null }],
  ['labels of another type', [add('/metadata/labels', { a: 1 })], widget('v1')],
  ['an unknown field', [add('/spec/no', 1)], { ...widget('v1'), spec: { size: 'v1', no: 1 } }],
  ['another version', [add('/apiVersion', 'example.com/v2'), remove('/spec/size')], widget('v2')],
  ['another kind', [add('/kind', 'Gadget'), remove('/spec/size')], { ...widget('v1'), kind: 'Gadget', spec: {} }],
  [
    'another group',
    [add('/apiVersion', 'x.com/v1')],
    'x.com/v1, Kind=Widget is unstructured and is not suitable for converting to "example.com/v1"',
  ],
  [
    'an unknown version',
    [add('/apiVersion', 'example.com/v9')],
    'request to convert CR from an invalid group/version: example.com/v9',
  ],
  ['copies deeper than the stack', deeperThanStack, 'Internal error occurred: exceeded max depth'],
  [
    'fields whose names differ in their letters',
    [add('/Kind', 'Other'), add('/apiversion', 'x.com/v1')],
    { ...widget('v1'), Kind: 'Other', apiversion: 'x.com/v1' },
  ],
  [
    'a version in other letters that is no string',
    [add('/ApiVersion', 1)],
    `${NO_META} number into Go struct field .apiVersion of type string`,
  ],
  [
    'a kind in other letters',
    [remove('/kind'), add('/Kind', 'Widget')],
    `Internal error occurred: Object 'Kind' is missing in '{"Kind":"Widget","apiVersion":"example.com/v1","metadata":{"name":"a"},"spec":{"size":"v1"}}'`,
  ],
  [
    'no kind',
    [remove('/kind')],
    `Internal error occurred: Object 'Kind' is missing in '{"apiVersion":"example.com/v1","metadata":{"name":"a"},"spec":{"size":"v1"}}'`,
  ],
])('a patch of a custom resource with %s', async (_, operations, expected) => {
  const versions = [structural('v1'), structural('v2')] as const;
  const patch = readPatch('w', Buffer.from(JSON.stringify(operations)));
  const target = {
    webhookName: 'w',
    scope: { equivalents: () => versions, kind: versions[0].kind },
    version: versions[0],
    object: widget('v1'),
  };
  const outcome = await applyPatch(target, patch).then(({ object }) => object, messageOf);
  expect(outcome).toEqual(expected);
});

function widget(version: string): KubeObject {
  return { apiVersion: `example.com/${version}`, kind: 'Widget', metadata: { name: 'a' }, spec: { size: version } };
}
