import type { AuthorizationAttributes, Authorizer } from '@apiserver/apiserver-contracts';
import { describe, expect, it } from 'vitest';
import { testAttributes } from './attributes.js';

/**
 * Checks the contract of every authorizer: a result for every kind of request, the same result twice, a trimmed
 * reason, and unchanged attributes.
 */
export function authorizerSuite(name: string, make: () => Promise<Authorizer> | Authorizer): void {
  describe(`${name} as an Authorizer`, () => {
    for (const [kind, attributes] of requests) {
      it(`returns a decision for ${kind} and leaves the attributes unchanged`, async () => {
        const authorizer = await make();
        const before = structuredClone(attributes);
        const first = await authorizer.authorize(attributes);
        const second = await authorizer.authorize(attributes);
        expect(['Allow', 'Deny', 'NoOpinion']).toContain(first.decision);
        expect(first.reason).toBe(first.reason.trim());
        expect(second).toEqual(first);
        expect(attributes).toEqual(before);
      });
    }
  });
}

const nonResource = {
  isResourceRequest: false,
  apiVersion: '',
  namespace: '',
  resource: '',
  name: '',
  path: '/metrics',
} as const;

const requests: readonly (readonly [string, AuthorizationAttributes])[] = [
  ['a namespaced get', testAttributes()],
  ['a list in all namespaces', testAttributes({ verb: 'list', namespace: '', name: '' })],
  ['a cluster-scoped delete', testAttributes({ verb: 'delete', readOnly: false, namespace: '', resource: 'nodes' })],
  ['a subresource', testAttributes({ verb: 'create', readOnly: false, subresource: 'exec' })],
  ['a path', testAttributes(nonResource)],
  ['nobody', testAttributes({ user: { name: '', groups: [], extra: {} } })],
  ['a member of system:masters', testAttributes({ user: { name: 'root', groups: ['system:masters'], extra: {} } })],
];
