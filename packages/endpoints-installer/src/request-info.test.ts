import { describe, expect, test } from 'vitest';
import { resolveRequestInfo, splitPath } from './request-info.js';
import { createTestExchange } from './testing/index.js';

function infoOf(method: string, url: string) {
  return resolveRequestInfo(createTestExchange({ method, url, requestInfo: undefined }).request);
}

interface Expected {
  readonly verb?: string;
  readonly prefix?: string;
  readonly group?: string;
  readonly version?: string;
  readonly namespace?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly name?: string;
  readonly parts?: string;
}

// method, url, expectation; defaults: prefix api, no group, version v1, resource pods.
const resourceRequests: readonly (readonly [string, string, Expected])[] = [
  ['GET', '/api/v1/namespaces', { verb: 'list', resource: 'namespaces', parts: 'namespaces' }],
  [
    'GET',
    '/api/v1/namespaces/other',
    { verb: 'get', namespace: 'other', resource: 'namespaces', name: 'other', parts: 'namespaces/other' },
  ],
  ['GET', '/api/v1/namespaces/other/pods', { verb: 'list', namespace: 'other', parts: 'pods' }],
  ['GET', '/api/v1/namespaces/other/pods/foo', { verb: 'get', namespace: 'other', name: 'foo', parts: 'pods/foo' }],
  ['HEAD', '/api/v1/namespaces/other/pods/foo', { verb: 'get', namespace: 'other', name: 'foo', parts: 'pods/foo' }],
  ['GET', '/api/v1/pods', { verb: 'list', parts: 'pods' }],
  ['HEAD', '/api/v1/pods', { verb: 'list', parts: 'pods' }],
  ['OPTIONS', '/api/v1/pods', { verb: '', parts: 'pods' }],
  [
    'GET',
    '/api/v1/namespaces/other/pods/foo/status',
    { verb: 'get', namespace: 'other', name: 'foo', subresource: 'status', parts: 'pods/foo/status' },
  ],
  [
    'GET',
    '/api/v1/namespaces/other/pods/foo/proxy/a/b',
    { verb: 'get', namespace: 'other', name: 'foo', subresource: 'proxy', parts: 'pods/foo/proxy/a/b' },
  ],
  // Subresources of a namespace are not resources in it.
  [
    'PUT',
    '/api/v1/namespaces/other/finalize',
    {
      verb: 'update',
      namespace: 'other',
      resource: 'namespaces',
      subresource: 'finalize',
      name: 'other',
      parts: 'namespaces/other/finalize',
    },
  ],
  [
    'GET',
    '/api/v1/namespaces/other/status',
    {
      verb: 'get',
      namespace: 'other',
      resource: 'namespaces',
      subresource: 'status',
      name: 'other',
      parts: 'namespaces/other/status',
    },
  ],
  [
    'GET',
    '/api/v1/namespaces/status/finalize',
    {
      verb: 'get',
      namespace: 'status',
      resource: 'namespaces',
      subresource: 'finalize',
      name: 'status',
      parts: 'namespaces/status/finalize',
    },
  ],
  // Verbs in the path.
  [
    'GET',
    '/api/v1/proxy/namespaces/other/pods/foo',
    { verb: 'proxy', namespace: 'other', name: 'foo', parts: 'pods/foo' },
  ],
  [
    'GET',
    '/api/v1/proxy/namespaces/other/pods/foo/subpath',
    { verb: 'proxy', namespace: 'other', name: 'foo', parts: 'pods/foo/subpath' },
  ],
  ['GET', '/api/v1/proxy/pods/foo', { verb: 'proxy', name: 'foo', parts: 'pods/foo' }],
  ['GET', '/api/v1/watch/pods', { verb: 'watch', parts: 'pods' }],
  ['GET', '/api/v1/watch/namespaces/other/pods', { verb: 'watch', namespace: 'other', parts: 'pods' }],
  [
    'GET',
    '/api/v1/watch/namespaces/other/pods/foo',
    { verb: 'watch', namespace: 'other', name: 'foo', parts: 'pods/foo' },
  ],
  ['POST', '/api/v1/watch/pods', { verb: 'watch', parts: 'pods' }],
  // watch as a parameter: everything but 0 and false is true.
  ['GET', '/api/v1/pods?watch=true', { verb: 'watch', parts: 'pods' }],
  ['GET', '/api/v1/pods?watch', { verb: 'watch', parts: 'pods' }],
  ['GET', '/api/v1/pods?watch=yes', { verb: 'watch', parts: 'pods' }],
  ['GET', '/api/v1/pods?watch=0', { verb: 'list', parts: 'pods' }],
  ['GET', '/api/v1/pods?watch=False', { verb: 'list', parts: 'pods' }],
  ['GET', '/api/v1/pods?watch=true&limit=x', { verb: 'watch', parts: 'pods' }],
  [
    'GET',
    '/api/v1/namespaces/other/pods/foo?watch=true',
    { verb: 'get', namespace: 'other', name: 'foo', parts: 'pods/foo' },
  ],
  // A selected name is the name of a list or watch, unless the options are invalid.
  [
    'GET',
    '/api/v1/namespaces/other/pods?fieldSelector=metadata.name%3Dfoo',
    { verb: 'list', namespace: 'other', name: 'foo', parts: 'pods' },
  ],
  [
    'GET',
    '/api/v1/namespaces/other/pods?watch=1&fieldSelector=metadata.name%3Dfoo',
    { verb: 'watch', namespace: 'other', name: 'foo', parts: 'pods' },
  ],
  [
    'GET',
    '/api/v1/namespaces/other/pods?fieldSelector=metadata.name%3Dfoo,x%3Dy',
    { verb: 'list', namespace: 'other', name: 'foo', parts: 'pods' },
  ],
  [
    'GET',
    '/api/v1/namespaces/other/pods?fieldSelector=metadata.name!%3Dfoo',
    { verb: 'list', namespace: 'other', parts: 'pods' },
  ],
  [
    'GET',
    '/api/v1/namespaces/other/pods?fieldSelector=metadata.name%3D..',
    { verb: 'list', namespace: 'other', parts: 'pods' },
  ],
  [
    'GET',
    '/api/v1/namespaces/other/pods?fieldSelector=metadata.name%3Da%2Fb',
    { verb: 'list', namespace: 'other', parts: 'pods' },
  ],
  [
    'GET',
    '/api/v1/namespaces/other/pods?fieldSelector=metadata.name%3Dfoo&limit=x',
    { verb: 'list', namespace: 'other', parts: 'pods' },
  ],
  [
    'GET',
    '/api/v1/namespaces/other/pods?fieldSelector=metadata.name%3Dfoo&labelSelector=,,',
    { verb: 'list', namespace: 'other', parts: 'pods' },
  ],
  ['GET', '/api/v1/namespaces/other/pods?fieldSelector=name', { verb: 'list', namespace: 'other', parts: 'pods' }],
  [
    'DELETE',
    '/api/v1/namespaces/other/pods?fieldSelector=metadata.name%3Dfoo',
    { verb: 'deletecollection', namespace: 'other', parts: 'pods' },
  ],
  // Writes.
  ['POST', '/api/v1/pods', { verb: 'create', parts: 'pods' }],
  ['PUT', '/api/v1/namespaces/other/pods/foo', { verb: 'update', namespace: 'other', name: 'foo', parts: 'pods/foo' }],
  ['PATCH', '/api/v1/namespaces/other/pods/foo', { verb: 'patch', namespace: 'other', name: 'foo', parts: 'pods/foo' }],
  [
    'DELETE',
    '/api/v1/namespaces/other/pods/foo',
    { verb: 'delete', namespace: 'other', name: 'foo', parts: 'pods/foo' },
  ],
  ['DELETE', '/api/v1/namespaces/other/pods', { verb: 'deletecollection', namespace: 'other', parts: 'pods' }],
  ['PROPFIND', '/api/v1/namespaces/other/pods/foo', { verb: '', namespace: 'other', name: 'foo', parts: 'pods/foo' }],
  // Groups.
  [
    'GET',
    '/apis/apps/v1/namespaces/other/deployments',
    { verb: 'list', prefix: 'apis', group: 'apps', namespace: 'other', resource: 'deployments', parts: 'deployments' },
  ],
  [
    'GET',
    '/apis/apps/v1beta1/deployments/foo',
    {
      verb: 'get',
      prefix: 'apis',
      group: 'apps',
      version: 'v1beta1',
      resource: 'deployments',
      name: 'foo',
      parts: 'deployments/foo',
    },
  ],
  [
    'DELETE',
    '/apis/apps/v1/namespaces/other/deployments',
    {
      verb: 'deletecollection',
      prefix: 'apis',
      group: 'apps',
      namespace: 'other',
      resource: 'deployments',
      parts: 'deployments',
    },
  ],
  // Slashes.
  ['GET', '/api/v1/pods/', { verb: 'list', parts: 'pods' }],
  ['GET', '//api/v1/pods', { verb: 'list', parts: 'pods' }],
  ['GET', '/api/v1//pods', { verb: 'get', resource: '', name: 'pods', parts: '/pods' }],
];

describe('resource requests', () => {
  test.each(resourceRequests)('%s %s', (method, url, expected) => {
    const info = infoOf(method, url);
    expect({ ...info, parts: info.parts.join('/'), fieldSelector: '', labelSelector: '' }).toEqual({
      isResourceRequest: true,
      path: url.split('?')[0],
      verb: expected.verb,
      apiPrefix: expected.prefix ?? 'api',
      apiGroup: expected.group ?? '',
      apiVersion: expected.version ?? 'v1',
      namespace: expected.namespace ?? '',
      resource: expected.resource ?? 'pods',
      subresource: expected.subresource ?? '',
      name: expected.name ?? '',
      parts: expected.parts,
      fieldSelector: '',
      labelSelector: '',
    });
  });
});

describe('other requests', () => {
  test.each([
    ['/', '', ''],
    ['/api', '', ''],
    ['/api/v1', '', ''],
    ['/apis', '', ''],
    ['/apis/apps', '', ''],
    ['/apis/apps/v1', 'apis', ''],
    ['/healthz', '', ''],
    ['/api/', '', ''],
    ['/unknown/v1/pods/foo', '', ''],
  ])('%s', (url, apiPrefix, apiGroup) => {
    const { isResourceRequest, verb, resource, ...info } = infoOf('GET', url);
    expect({ isResourceRequest, verb, resource, apiPrefix: info.apiPrefix, apiGroup: info.apiGroup }).toEqual({
      isResourceRequest: false,
      verb: 'get',
      resource: '',
      apiPrefix,
      apiGroup,
    });
  });

  test.each(['/api/v1/watch', '/api/v1/proxy', '/apis/apps/v1/watch/'])('%s lacks a resource', (url) => {
    expect(() => infoOf('GET', url)).toThrow(`unable to determine kind and namespace from url, ${url}`);
  });
});

describe('selectors for authorization', () => {
  test.each([
    ['GET', '/api/v1/pods?fieldSelector=a%3Db&labelSelector=c', ['a=b', 'c']],
    ['GET', '/api/v1/pods?watch=1&fieldSelector=a%3Db&labelSelector=c', ['a=b', 'c']],
    ['DELETE', '/api/v1/pods?fieldSelector=a%3Db&labelSelector=c', ['a=b', 'c']],
    ['GET', '/api/v1/pods?fieldSelector=nonsense&labelSelector=,,', ['nonsense', ',,']],
    ['GET', '/api/v1/pods/foo?fieldSelector=a%3Db&labelSelector=c', ['', '']],
    ['POST', '/api/v1/pods?fieldSelector=a%3Db&labelSelector=c', ['', '']],
    ['GET', '/api/v1/watch/pods?fieldSelector=a%3Db&labelSelector=c', ['', '']],
  ])('%s %s', (method, url, expected) => {
    const { fieldSelector, labelSelector } = infoOf(method, url);
    expect([fieldSelector, labelSelector]).toEqual(expected);
  });
});

test.each([
  ['', []],
  ['/', []],
  ['//', []],
  ['/a/', ['a']],
  ['//a//b//', ['a', '', 'b']],
  ['/a/b'.repeat(100_000), Array(500).fill(['a', 'b']).flat()],
])('splitPath(%.20j)', (path, expected) => {
  expect(splitPath(path)).toEqual(expected);
});
