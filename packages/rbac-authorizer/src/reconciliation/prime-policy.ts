import { isAlreadyExists } from '@apiserver/apimachinery/errors';
import type { Logger } from '@apiserver/apiserver-contracts';
import type { PolicyData } from '../bootstrap-policy/bootstrap-policy.js';
import type { ClusterRole, ClusterRoleBinding } from '../policy-objects.js';
import type { PolicyClient, PolicyObject } from './policy-client.js';
import type { Snapshot } from './snapshot.js';

/** The existing objects, and the client that creates missing ones. */
export interface Priming<O extends PolicyObject> {
  readonly client: Pick<PolicyClient<O>, 'create'>;
  /** Receives the created objects. */
  readonly existing: Snapshot<O>;
  readonly logger: Logger;
}

/**
 * Administrators may have changed the rules of roles before these became aggregated. Such rules are kept under the
 * role's new name.
 * Upstream: primeAggregatedClusterRoles in pkg/registry/rbac/rest/storage_rbac.go
 */
export async function primeAggregatedClusterRoles(policy: PolicyData, priming: Priming<ClusterRole>): Promise<void> {
  for (const [oldName, newName] of policy.clusterRolesToAggregate) {
    const old = priming.existing.get('', oldName);
    if (old === undefined || priming.existing.get('', newName) !== undefined) continue;
    // An aggregated role has no rules of its own to keep.
    if (old.aggregationRule !== undefined) return;
    priming.logger.v(1)?.info(`migrating ${oldName} to ${newName}`);
    const { resourceVersion: _, ...metadata } = old.metadata;
    await createUnlessThere(priming, { ...old, metadata: { ...metadata, name: newName } });
  }
}

/**
 * A binding that was split off starts with the subjects, labels and annotations of the original.
 * Upstream: primeSplitClusterRoleBindings in pkg/registry/rbac/rest/storage_rbac.go
 */
export async function primeSplitClusterRoleBindings(
  policy: PolicyData,
  priming: Priming<ClusterRoleBinding>,
): Promise<void> {
  for (const [sourceName, targetName] of policy.clusterRoleBindingsToSplit) {
    const source = priming.existing.get('', sourceName);
    const template = policy.clusterRoleBindings.find(({ metadata }) => metadata.name === targetName);
    if (source === undefined || template === undefined || priming.existing.get('', targetName) !== undefined) continue;
    const from = `ClusterRoleBinding "${sourceName}"`;
    priming.logger.v(1)?.info(`copying subjects, labels, and annotations from ${from} to template "${targetName}"`);
    const { labels = {}, annotations = {} } = source.metadata;
    const metadata = { ...template.metadata, labels, annotations };
    await createUnlessThere(priming, { ...template, metadata, subjects: source.subjects ?? [] });
  }
}

async function createUnlessThere<O extends PolicyObject>({ client, existing }: Priming<O>, object: O): Promise<void> {
  try {
    existing.set(await client.create(object));
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}
