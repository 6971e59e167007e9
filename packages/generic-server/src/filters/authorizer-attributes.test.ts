import { resolveRequestInfo } from '@apiserver/endpoints-installer';
import { describe, expect, it } from 'vitest';
import { createInProcessExchange } from '../testing/call-handler.js';
import { authorizerAttributes } from './authorizer-attributes.js';

function attributesOf(query: string) {
  const exchange = createInProcessExchange({ url: `/api/v1/pods${query}` });
  exchange.context.requestInfo = resolveRequestInfo(exchange.request);
  return authorizerAttributes(exchange, { name: 'a', uid: '', groups: [], extra: {} });
}

describe('authorizerAttributes', () => {
  it.each<[string, string | undefined, string | undefined]>([
    ['', undefined, undefined],
    ['?labelSelector=a%3Db&fieldSelector=c%3Dd', 'a=b', 'c=d'],
    ['?labelSelector=%21%21&fieldSelector=c', undefined, undefined],
  ])('has the selectors of %j that parse', (query, labels, fields) => {
    const { labelSelector, fieldSelector } = attributesOf(query);
    expect([labelSelector?.toString(), fieldSelector?.toString()]).toEqual([labels, fields]);
  });

  it('parses selectors only on demand', () => {
    const attributes = attributesOf('?labelSelector=a%3Db');
    expect(Object.getOwnPropertyDescriptor(attributes, 'labelSelector')).not.toHaveProperty('value');
    expect({ ...attributes }.labelSelector?.toString()).toBe('a=b');
  });
});
