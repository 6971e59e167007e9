import type { Clock } from '@apiserver/apimachinery/clock';
import type { Logger, LoopbackClient } from '@apiserver/apiserver-contracts';
import type { PolicyData } from '../bootstrap-policy/bootstrap-policy.js';
import {
  type ClusterRole,
  type ClusterRoleBinding,
  RBAC_GROUP,
  type Role,
  type RoleBinding,
} from '../policy-objects.js';
import { computeReconciledBinding } from './compute-binding.js';
import { computeReconciledRole } from './compute-role.js';
import { EnsuredNamespaces } from './ensure-namespace.js';
import { type PolicyClient, type PolicyObject, policyClient } from './policy-client.js';
import { primeAggregatedClusterRoles, primeSplitClusterRoleBindings } from './prime-policy.js';
import { type Reconciliation, reconcile } from './reconcile.js';
import { retryOnConflict } from './retry-on-conflict.js';
import { type Snapshot, takeSnapshot } from './snapshot.js';

/** Dependencies of `ensurePolicy`. */
export interface EnsurePolicyOptions {
  readonly policy: PolicyData;
  readonly loopbackClient: LoopbackClient;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/** Additions of administrators stay. */
const UNION = { removeExtra: false };

/**
 * Creates missing objects of the policy, and adds missing parts to existing ones. Reads one list per kind, so that a
 * complete policy costs no more. Writes run in parallel to share commits; upstream writes sequentially, but a grant
 * needs both role and binding in any order. A failed object is logged and skipped: then the result is false. Throws
 * only if the server cannot be read.
 * Upstream: EnsureRBACPolicy in pkg/registry/rbac/rest/storage_rbac.go
 */
export async function ensurePolicy(options: EnsurePolicyOptions): Promise<boolean> {
  const { policy, loopbackClient, logger } = options;
  const clients = {
    clusterRoles: policyClient<ClusterRole>(loopbackClient, 'clusterroles'),
    clusterRoleBindings: policyClient<ClusterRoleBinding>(loopbackClient, 'clusterrolebindings'),
    roles: policyClient<Role>(loopbackClient, 'roles'),
    roleBindings: policyClient<RoleBinding>(loopbackClient, 'rolebindings'),
  };
  const [clusterRoles, clusterRoleBindings, roles, roleBindings] = await Promise.all([
    takeSnapshot(clients.clusterRoles, ['']),
    takeSnapshot(clients.clusterRoleBindings, ['']),
    takeSnapshot(clients.roles, namespacesOf(policy.roles)),
    takeSnapshot(clients.roleBindings, namespacesOf(policy.roleBindings)),
  ]);
  await primeAggregatedClusterRoles(policy, { client: clients.clusterRoles, existing: clusterRoles, logger });
  const splitting = { client: clients.clusterRoleBindings, existing: clusterRoleBindings, logger };
  await primeSplitClusterRoleBindings(policy, splitting);
  const context = { ...options, namespaces: new EnsuredNamespaces(loopbackClient) };
  const results = await Promise.all([
    ensureAll(context, roleKind('clusterrole', clients.clusterRoles, clusterRoles), policy.clusterRoles),
    ensureAll(
      context,
      bindingKind('clusterrolebinding', clients.clusterRoleBindings, clusterRoleBindings),
      policy.clusterRoleBindings,
    ),
    ensureAll(context, roleKind('role', clients.roles, roles), policy.roles),
    ensureAll(context, bindingKind('rolebinding', clients.roleBindings, roleBindings), policy.roleBindings),
  ]);
  return results.every((isComplete) => isComplete);
}

interface EnsureContext extends EnsurePolicyOptions {
  readonly namespaces: EnsuredNamespaces;
}

function namespacesOf(objects: readonly PolicyObject[]): Set<string> {
  return new Set(objects.map(({ metadata }) => metadata.namespace ?? ''));
}

/** Comparison, client and log texts of one kind. */
interface Kind<O extends PolicyObject> {
  readonly noun: string;
  /** Name of the missing parts, for log texts. */
  readonly lacks: 'permissions' | 'subjects';
  readonly maxRetries: number;
  readonly client: PolicyClient<O>;
  readonly existing: Snapshot<O>;
  readonly compute: (existing: O | undefined, expected: O) => Comparison<O>;
}

interface Comparison<O> extends Reconciliation<O> {
  readonly missing: readonly unknown[];
}

function roleKind<O extends Role | ClusterRole>(noun: string, client: PolicyClient<O>, existing: Snapshot<O>): Kind<O> {
  return {
    noun,
    client,
    existing,
    lacks: 'permissions',
    maxRetries: 2,
    compute: (there, expected) => {
      const result = computeReconciledRole(there, expected, UNION);
      return { ...result, missing: result.missingRules };
    },
  };
}

function bindingKind<O extends RoleBinding | ClusterRoleBinding>(
  noun: string,
  client: PolicyClient<O>,
  existing: Snapshot<O>,
): Kind<O> {
  return {
    noun,
    client,
    existing,
    lacks: 'subjects',
    maxRetries: 3,
    compute: (there, expected) => {
      const result = computeReconciledBinding(there, expected, UNION);
      return { ...result, missing: result.missingSubjects };
    },
  };
}

async function ensureAll<O extends PolicyObject>(
  options: EnsureContext,
  kind: Kind<O>,
  expected: readonly O[],
): Promise<boolean> {
  const results = await Promise.all(expected.map((object) => ensureObject(options, kind, object)));
  return results.every((isThere) => isThere);
}

/** False if the object could not be written. Never rejects. */
async function ensureObject<O extends PolicyObject>(
  options: EnsureContext,
  kind: Kind<O>,
  expected: O,
): Promise<boolean> {
  const { clock, logger, signal, namespaces } = options;
  const { namespace = '', name = '' } = expected.metadata;
  const label = `${kind.noun}.${RBAC_GROUP}/${name}${namespace && ` in ${namespace}`}`;
  let lastSeen: { readonly object: O | undefined } | undefined = { object: kind.existing.get(namespace, name) };
  const prepareCreate = async () => (namespace === '' ? undefined : namespaces.ensure(namespace));
  const attempt = async () => {
    const compute = (there: O | undefined) => kind.compute(there, expected);
    const { client, maxRetries } = kind;
    const known = lastSeen === undefined ? undefined : { lastSeen };
    lastSeen = undefined;
    const result = await reconcile({ client, expected, compute, maxRetries, prepareCreate, ...known });
    logResult(logger, label, kind.lacks, result);
  };
  try {
    await retryOnConflict(clock, signal, attempt);
    return true;
  } catch (error) {
    if (!signal.aborted) logger.error(error, `unable to reconcile ${label}`);
    return false;
  }
}

function logResult(logger: Logger, label: string, lacks: string, result: Comparison<unknown>): void {
  const { operation, missing } = result;
  if (operation === 'none') return;
  if (result.protected) {
    logger.warning(`skipped reconcile-protected ${label} with missing ${lacks}`, { [lacks]: missing });
  } else if (operation === 'update')
    logger.v(2)?.info(`updated ${label} with additional ${lacks}`, { [lacks]: missing });
  else logger.v(2)?.info(`${operation}d ${label}`);
}
