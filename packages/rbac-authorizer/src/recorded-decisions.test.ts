import { existsSync, readFileSync } from 'node:fs';
import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from '@apiserver/api/rbac/v1';
import type { AuthorizationAttributes } from '@apiserver/apiserver-contracts';
import { describe, expect, it } from 'vitest';
import { bootstrapPolicy } from './bootstrap-policy/bootstrap-policy.js';
import { rbacAuthorizer } from './rbac-authorizer.js';
import { PolicyIndex } from './resolution/policy-index.js';
import { MemoryInformer, testLogger, testUser } from './testing/index.js';

/** Recorded traffic of a real server, which is not part of the repository. */
const recordings = new URL('../../../../shared/replay/public/', import.meta.url);

interface Step {
  readonly id: string;
  readonly method?: string;
  readonly path: string;
  readonly user?: { readonly as: string; readonly groups: string[] };
  readonly body?: unknown;
  readonly expect?: {
    readonly status: number;
    readonly body: { readonly message?: string; readonly status?: unknown };
  };
}

function stepsOf(name: string): Step[] {
  const text = readFileSync(new URL(`${name}.json`, recordings), 'utf8')
    .replaceAll(/\$\{ns\}/g, 'ns')
    .replaceAll(/\$\{u\}/g, 'u');
  return JSON.parse(text).steps;
}

/** The policy that the administrators' steps create, in addition to the bootstrap policy. */
class Policy {
  readonly #roles = new MemoryInformer<Role>();
  readonly #clusterRoles = new MemoryInformer<ClusterRole>();
  readonly #index = new PolicyIndex({
    role: (namespace, name) => this.#roles.get(namespace, name),
    clusterRole: (name) => this.#clusterRoles.get('', name),
  });
  readonly authorizer = rbacAuthorizer(this.#index, testLogger());

  constructor() {
    const { clusterRoles, clusterRoleBindings } = bootstrapPolicy();
    for (const role of clusterRoles) this.#clusterRoles.set(structuredClone(role) as ClusterRole);
    for (const binding of clusterRoleBindings) this.#index.setClusterRoleBinding(binding);
  }

  /** Applies an administrator's write; ignores all other requests. */
  take({ method, path, body }: Step): void {
    const [, namespace = '', resource = ''] = /rbac[^/]*\/v1\/(?:namespaces\/([^/]+)\/)?([a-z]+)/.exec(path) ?? [];
    if (method === 'POST') this.#put(resource, namespace, body);
    const deleted = /rolebindings\/([^/]+)$/.exec(path)?.[1];
    if (method !== 'DELETE' || deleted === undefined) return;
    const roleRef = { kind: '', name: '' };
    this.#index.deleteRoleBinding({ apiVersion: '', kind: '', metadata: { namespace, name: deleted }, roleRef });
  }

  #put(resource: string, namespace: string, body: unknown): void {
    const object = structuredClone(body) as Role & ClusterRole & RoleBinding & ClusterRoleBinding;
    if (namespace !== '') object.metadata.namespace = namespace;
    if (resource === 'roles') this.#roles.set(object);
    if (resource === 'clusterroles') this.#clusterRoles.set(object);
    if (resource === 'rolebindings') this.#index.setRoleBinding(object);
    if (resource === 'clusterrolebindings') this.#index.setClusterRoleBinding(object);
  }
}

const verbs: Readonly<Record<string, string>> = {
  GET: 'get',
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

/** Parses the recorded paths as far as they need it. */
function attributesOf({ method = 'GET', path: url, user }: Step): AuthorizationAttributes {
  const [path = '', query = ''] = url.split('?');
  const resource = /^\/(?:api|apis\/([^/]+))\/v\d[^/]*\/(?:namespaces\/([^/]+)(?:\/|$))?([^/]*)\/?([^/]*)\/?(.*)$/.exec(
    path,
  );
  const who = testUser(user?.as ?? '', ...(user?.groups ?? []));
  const common = { user: who, readOnly: false, apiVersion: 'v1', path };
  if (resource === null) {
    const none = { apiGroup: '', namespace: '', resource: '', subresource: '', name: '' };
    return { ...common, ...none, isResourceRequest: false, verb: method.toLowerCase() };
  }
  const [, apiGroup = '', namespace = '', named = '', objectName = '', subresource = ''] = resource;
  const isNamespace = named === '';
  const name = isNamespace ? namespace : objectName;
  const single = verbs[method] ?? '';
  const collection =
    { GET: query.includes('watch=true') ? 'watch' : 'list', DELETE: 'deletecollection' }[method] ?? single;
  const verb = name === '' ? collection : single;
  const what = { apiGroup, namespace, resource: isNamespace ? 'namespaces' : named, subresource, name, verb };
  return { ...common, ...what, isResourceRequest: true };
}

describe.skipIf(!existsSync(recordings))('what a real server decided (skipped without ../shared/replay)', () => {
  it.each(['rbac--roles-and-bindings', 'rbac--forbidden-messages', 'rbac--aggregated-and-wildcards'])(
    '%s',
    async (name) => {
      const policy = new Policy();
      let decided = 0;
      for (const step of stepsOf(name)) {
        if (step.user === undefined) {
          policy.take(step);
          continue;
        }
        if (step.expect === undefined) continue;
        const { decision, reason } = await policy.authorizer.authorize(attributesOf(step));
        const refusal = decision === 'Allow' ? undefined : `403${reason && `: ${reason}`}`;
        const { status, body } = step.expect;
        const expected = status === 403 ? `403${/: (RBAC:.*)$/s.exec(body.message ?? '')?.[0] ?? ''}` : undefined;
        expect([step.id, refusal]).toEqual([step.id, expected]);
        decided++;
      }
      expect(decided).toBeGreaterThan(4);
    },
  );

  it('authn-authz--access-reviews: the reason of an allow', async () => {
    const step = stepsOf('authn-authz--access-reviews').find(({ id }) => id === 'self-path');
    const user = testUser(step?.user?.as ?? '', ...(step?.user?.groups ?? []));
    const requested = { ...attributesOf({ id: '', path: '/healthz' }), user };
    const { decision, reason } = await new Policy().authorizer.authorize(requested);
    expect({ allowed: decision === 'Allow', reason }).toEqual(step?.expect?.body.status);
  });
});
