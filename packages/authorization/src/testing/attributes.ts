import type { AuthorizationAttributes } from '@apiserver/apiserver-contracts';

/** Attributes of `get pods/p1` in namespace ns by user "somebody" without groups, with a test's changes. */
export function testAttributes(changes: Partial<AuthorizationAttributes> = {}): AuthorizationAttributes {
  return {
    user: { name: 'somebody', groups: [], extra: {} },
    verb: 'get',
    readOnly: true,
    isResourceRequest: true,
    apiGroup: '',
    apiVersion: 'v1',
    namespace: 'ns',
    resource: 'pods',
    subresource: '',
    name: 'p1',
    path: '/api/v1/namespaces/ns/pods/p1',
    ...changes,
  };
}
