import { describe, expect, it } from 'vitest';
import {
  isReadOnlyVerb,
  pathAttributes,
  type RequestInfo,
  requestAttributes,
  resourceAttributes,
  type UserInfo,
} from './index.js';

const user: UserInfo = { name: 'jane', groups: [], extra: {} };
const nothing = { apiGroup: '', apiVersion: '', namespace: '', resource: '', subresource: '', name: '', path: '' };

describe('attributes for an authorizer', () => {
  it('of a request are those of its RequestInfo, without selectors', () => {
    const where = {
      apiGroup: 'apps',
      apiVersion: 'v1',
      namespace: 'ns',
      resource: 'deployments',
      subresource: 'scale',
    };
    const what = { ...where, isResourceRequest: true, verb: 'get', name: 'd', path: '/apis/apps/v1' };
    const selectors = { fieldSelector: 'a=b', labelSelector: 'c=d' };
    const info: RequestInfo = { ...what, ...selectors, apiPrefix: 'apis', parts: ['deployments', 'd', 'scale'] };
    expect(requestAttributes(info, user)).toEqual({ ...what, user, readOnly: true });
    expect(requestAttributes({ ...info, verb: 'patch' }, undefined)).toEqual({
      ...what,
      user: undefined,
      verb: 'patch',
      readOnly: false,
    });
  });

  it('of an access to a resource leave empty what it does not name', () => {
    const access = { verb: 'list', apiGroup: '', apiVersion: 'v1', resource: 'pods' };
    expect(resourceAttributes(user, access)).toEqual({
      ...nothing,
      ...access,
      user,
      readOnly: true,
      isResourceRequest: true,
    });
    const more = { namespace: 'ns', subresource: 'exec', name: 'p', path: '/p', verb: 'create' };
    expect(resourceAttributes(user, { ...access, ...more })).toEqual({
      ...access,
      ...more,
      user,
      readOnly: false,
      isResourceRequest: true,
    });
  });

  it('of an access to a path name no resource', () => {
    expect(pathAttributes(user, 'get', '/healthz')).toEqual({
      ...nothing,
      user,
      verb: 'get',
      readOnly: true,
      isResourceRequest: false,
      path: '/healthz',
    });
  });

  it('call only get, list and watch read-only', () => {
    const verbs = [
      'get',
      'list',
      'watch',
      'create',
      'update',
      'patch',
      'delete',
      'deletecollection',
      'proxy',
      'post',
      '',
    ];
    expect(verbs.filter(isReadOnlyVerb)).toEqual(['get', 'list', 'watch']);
  });
});
