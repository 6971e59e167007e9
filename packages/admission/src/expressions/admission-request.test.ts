import { expect, it } from 'vitest';
import { testAttributes } from '../testing/attributes.js';
import { admissionRequest } from './admission-request.js';

const kind = { group: 'apps', version: 'v1', kind: 'Deployment' };
const resource = { group: 'apps', version: 'v1', resource: 'deployments' };
const user = { name: '', groups: [], extra: {} };

it('has all members that a request has, and no empty ones', () => {
  const attributes = testAttributes({ name: 'n', namespace: 'ns', subresource: 'scale', dryRun: true });
  const full = { name: 'u', uid: 'i', groups: ['g'], extra: { k: ['v'] } };
  expect(admissionRequest({ ...attributes, user: full }, { kind, resource })).toMatchObject({
    uid: '',
    kind,
    resource,
    requestKind: attributes.kind,
    requestResource: attributes.resource,
    subResource: 'scale',
    requestSubResource: 'scale',
    name: 'n',
    namespace: 'ns',
    dryRun: true,
    userInfo: { username: 'u', uid: 'i', groups: ['g'], extra: { k: ['v'] } },
  });
});

it.each([
  ['the user', user],
  ['a user without a name', undefined],
])('lacks the names of a cluster-scoped request, and %s', (_, given) => {
  const attributes = { ...testAttributes({ name: '', namespace: '', subresource: '' }), user: given };
  const request = admissionRequest(attributes, { kind, resource }) as Record<string, unknown>;
  const named = ['name', 'namespace', 'subResource', 'requestSubResource'].filter((key) => key in request);
  expect([named, request['userInfo']]).toEqual([[], {}]);
});
