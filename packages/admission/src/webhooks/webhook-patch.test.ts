import { ConfigMap } from '@apiserver/api/core/v1';
import { compileKind } from '@apiserver/apimachinery/codec';
import { messageOf } from '@apiserver/apimachinery/errors';
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
])('a patch with %s', async (_, operation, expected) => {
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: '1' } };
  const patch = readPatch('w', Buffer.from(JSON.stringify([operation])));
  const outcome = await applyPatch('w', version, object, patch).then((patched) => patched.object['data'], messageOf);
  expect(outcome).toEqual(expected);
});
