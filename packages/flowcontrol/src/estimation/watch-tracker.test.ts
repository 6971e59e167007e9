import type { RequestInfo } from '@apiserver/apiserver-contracts';
import { expect, it } from 'vitest';
import { WatchTracker } from './watch-tracker.js';

const INFO: RequestInfo = {
  isResourceRequest: true,
  path: '',
  verb: 'watch',
  apiPrefix: 'api',
  apiGroup: '',
  apiVersion: 'v1',
  namespace: '',
  resource: 'pods',
  subresource: '',
  name: '',
  parts: [],
  fieldSelector: '',
  labelSelector: '',
};

it('counts the watches that a write concerns', () => {
  const tracker = new WatchTracker();
  const watches: Partial<RequestInfo>[] = [
    {},
    { namespace: 'n' },
    { namespace: 'n', name: 'a' },
    { namespace: 'm' },
    { resource: 'nodes' },
    { fieldSelector: 'spec.nodeName=x' },
    { fieldSelector: 'status.phase=Running,spec.nodeName==x' },
    { fieldSelector: 'spec.nodeName=' },
    { fieldSelector: 'spec.nodeName!=x' },
  ];
  const forget = watches.map((watch) => tracker.register({ ...INFO, ...watch }));
  const count = (info: Partial<RequestInfo>) => tracker.interested({ ...INFO, verb: 'update', ...info });
  expect([
    count({ namespace: 'n', name: 'a' }),
    count({ namespace: 'n', name: 'b' }),
    count({ namespace: 'o', name: 'a' }),
    count({ namespace: 'n', name: 'a', verb: 'get' }),
    count({ apiGroup: 'apps', namespace: 'n', name: 'a' }),
  ]).toEqual([5, 4, 3, 0, 0]);
  for (const one of forget) one();
  expect(count({ namespace: 'n', name: 'a' })).toBe(0);
});
