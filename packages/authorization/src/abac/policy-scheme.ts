import { BOOL, OMIT_EMPTY, STRING, type StructSchema, struct } from '@apiserver/apimachinery/schema';
import type { ConfigurationScheme } from '@apiserver/component-base/configuration';

const GROUP = 'abac.authorization.kubernetes.io';

/** The kinds of a policy file. Upstream: pkg/apis/abac */
export function policyScheme(): ConfigurationScheme {
  const texts = (names: readonly string[]) => names.map((name) => [name, 0, STRING, OMIT_EMPTY] as const);
  const typeMeta = texts(['kind', 'apiVersion']);
  const readonly = ['readonly', 0, BOOL, OMIT_EMPTY] as const;
  const spec = struct('abac.v1beta1.PolicySpec', 'v1beta1.PolicySpec', () => [
    ...texts(['user', 'group']),
    readonly,
    ...texts(['apiGroup', 'resource', 'namespace', 'nonResourcePath']),
  ]);
  const policy = struct('abac.v1beta1.Policy', 'v1beta1.Policy', () => [...typeMeta, ['spec', 0, spec]]);
  const oldest: StructSchema = struct('abac.v0.Policy', 'v0.Policy', () => [
    ...typeMeta,
    ...texts(['user', 'group']),
    readonly,
    ...texts(['resource', 'namespace']),
  ]);
  return {
    name: 'pkg/apis/abac/register.go:33',
    kinds: [
      { gvk: { group: GROUP, version: 'v1beta1', kind: 'Policy' }, schema: policy },
      { gvk: { group: GROUP, version: 'v0', kind: 'Policy' }, schema: oldest },
    ],
  };
}

/** The kind of a line that names none. */
export const UNVERSIONED = { group: GROUP, version: 'v0', kind: 'Policy' };
