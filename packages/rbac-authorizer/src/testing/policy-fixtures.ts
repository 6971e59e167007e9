import type { ClusterRole, ClusterRoleBinding, PolicyRule, Role, RoleBinding, Subject } from '@apiserver/api/rbac/v1';
import type { AuthorizationAttributes, LogFields, Logger, UserInfo } from '@apiserver/apiserver-contracts';

const apiVersion = 'rbac.authorization.k8s.io/v1';
const apiGroup = 'rbac.authorization.k8s.io';

/** A rule for resources. `verbs`, `resources` and `names` are separated by spaces. */
export function testRule(verbs: string, apiGroups: string[], resources: string, names = ''): PolicyRule {
  const rule = { verbs: verbs.split(' '), apiGroups, resources: resources.split(' ') };
  return names === '' ? rule : { ...rule, resourceNames: names.split(' ') };
}

/** A rule for paths. Both parameters are separated by spaces. */
export function testPathRule(verbs: string, paths: string): PolicyRule {
  return { verbs: verbs.split(' '), nonResourceURLs: paths.split(' ') };
}

/** A ClusterRole; `more` adds to its members. */
export function testClusterRole(name: string, rules: PolicyRule[], more: Partial<ClusterRole> = {}): ClusterRole {
  return { apiVersion, kind: 'ClusterRole', metadata: { name }, rules, ...more };
}

/** A Role. */
export function testRole(namespace: string, name: string, rules: PolicyRule[]): Role {
  return { apiVersion, kind: 'Role', metadata: { name, namespace }, rules };
}

/** Subjects as `User bob`, `Group devs`, `ServiceAccount ns/name` or `ServiceAccount name`. */
export function testSubjects(...subjects: string[]): Subject[] {
  return subjects.map((text) => {
    const [kind = '', name = ''] = text.split(' ');
    if (kind !== 'ServiceAccount') return { kind, apiGroup, name };
    const [namespace, account] = name.split('/');
    return account === undefined ? { kind, name } : { kind, name: account, namespace: namespace ?? '' };
  });
}

/** Binds a ClusterRole to subjects in the notation of `testSubjects`. */
export function testClusterRoleBinding(name: string, role: string, ...subjects: string[]): ClusterRoleBinding {
  const roleRef = { apiGroup, kind: 'ClusterRole', name: role };
  return { apiVersion, kind: 'ClusterRoleBinding', metadata: { name }, roleRef, subjects: testSubjects(...subjects) };
}

/** `name` is `namespace/name`, `role` is `Role x` or `ClusterRole x`. */
export function testRoleBinding(name: string, role: string, ...subjects: string[]): RoleBinding {
  const [namespace = '', bindingName = ''] = name.split('/');
  const [kind = '', roleName = ''] = role.split(' ');
  const metadata = { name: bindingName, namespace };
  const roleRef = { apiGroup, kind, name: roleName };
  return { apiVersion, kind: 'RoleBinding', metadata, roleRef, subjects: testSubjects(...subjects) };
}

/** A user without UID and extra. */
export function testUser(name: string, ...groups: string[]): UserInfo {
  return { name, groups, extra: {} };
}

/** `get pods/p1` in namespace ns by bob without groups, with a test's changes. */
export function testAttributes(changes: Partial<AuthorizationAttributes> = {}): AuthorizationAttributes {
  return {
    user: testUser('bob'),
    verb: 'get',
    readOnly: true,
    isResourceRequest: true,
    apiGroup: '',
    apiVersion: 'v1',
    namespace: 'ns',
    resource: 'pods',
    subresource: '',
    name: 'p1',
    path: '',
    ...changes,
  };
}

/** Keeps its lines and their fields; verbosity levels up to `level` are enabled. */
export function testLogger(level = 0): Logger & { readonly lines: string[]; readonly fields: LogFields[] } {
  const lines: string[] = [];
  const fields: LogFields[] = [];
  const keep = (line: string, more: LogFields = {}) => {
    lines.push(line);
    fields.push(more);
  };
  const logger = {
    lines,
    fields,
    info: keep,
    warning: (message: string, more?: LogFields) => keep(`warning: ${message}`, more),
    error: (error: unknown, message: string, more?: LogFields) => keep(`error: ${message}: ${String(error)}`, more),
    v: (wanted: number) => (wanted <= level ? logger : undefined),
    named: () => logger,
  };
  return logger;
}
