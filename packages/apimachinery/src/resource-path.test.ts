import { expect, test } from 'vitest';
import { collectionPath, objectPath } from './resource-path.js';

const pods = { group: '', version: 'v1', resource: 'pods' };
const flunders = { group: 'wardle.example.com', version: 'v1', resource: 'flunders' };

test('paths of collections', () => {
  expect([collectionPath(pods, ''), collectionPath(pods, 'n'), collectionPath(flunders, 'n')]).toEqual([
    '/api/v1/pods',
    '/api/v1/namespaces/n/pods',
    '/apis/wardle.example.com/v1/namespaces/n/flunders',
  ]);
});

test('paths of objects', () => {
  expect([
    objectPath(flunders, { namespace: '', name: 'a' }),
    objectPath(pods, { namespace: 'n', name: 'a:b' }),
    objectPath(pods, { namespace: 'n', name: 'a', subresource: 'status' }),
  ]).toEqual([
    '/apis/wardle.example.com/v1/flunders/a',
    '/api/v1/namespaces/n/pods/a:b',
    '/api/v1/namespaces/n/pods/a/status',
  ]);
});

test.each<[string, string, string]>([
  ['n', '', 'resource name may not be empty'],
  ['', 'a/status', `invalid resource name "a/status": [may not contain '/']`],
  ['', 'a%2f/b', `invalid resource name "a%2f/b": [may not contain '/' may not contain '%']`],
  ['', '..', `invalid resource name "..": [may not be '..']`],
  ['n/pods', 'a', `invalid namespace "n/pods": [may not contain '/']`],
  ['.', 'a', `invalid namespace ".": [may not be '.']`],
])('no path for namespace %j and name %j', (namespace, name, message) => {
  const refusal = expect.objectContaining({ status: expect.objectContaining({ code: 500, message }) });
  expect(() => objectPath(pods, { namespace, name })).toThrow(refusal);
});
