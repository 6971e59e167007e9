import type { KubeObject } from '@apiserver/apimachinery';
import type { FieldError } from '@apiserver/apimachinery/field';
import type { ResourceDefinition, Strategy, SubresourceDefinition } from '@apiserver/apiserver-contracts';
import { keepingSchedulingGroups } from '../scheduling-groups.js';
import { isPrivilegedRefusal } from './privileged.js';

/** The server's policy for containers. Upstream: pkg/capabilities */
export interface ContainerPolicy {
  /** Upstream flag: --allow-privileged, default false */
  readonly allowPrivileged: boolean;
  /** Default: false. Upstream gate: GenericWorkload */
  readonly schedulingGroups?: boolean;
}

/**
 * A kind with containers, for a server with this policy: if privileged containers are allowed, validation accepts
 * them; if pods may belong to groups, strategies keep their names.
 */
export function withContainerPolicy<T extends KubeObject>(
  definition: ResourceDefinition<T>,
  { allowPrivileged, schedulingGroups = false }: ContainerPolicy,
): ResourceDefinition<T> {
  const grouping = schedulingGroups
    ? { ...definition, strategy: keepingSchedulingGroups(definition.strategy) }
    : definition;
  return allowPrivileged ? allowingPrivileged(grouping) : grouping;
}

function allowingPrivileged<T extends KubeObject>(definition: ResourceDefinition<T>): ResourceDefinition<T> {
  const subresources = Object.entries(definition.subresources).map(([name, subresource]) => [
    name,
    allowingSubresource(subresource),
  ]);
  const strategy = allowing(definition.strategy);
  return { ...definition, strategy, subresources: Object.fromEntries(subresources) };
}

function allowingSubresource<T extends KubeObject>(subresource: SubresourceDefinition<T>): SubresourceDefinition<T> {
  return { ...subresource, strategy: allowing(subresource.strategy) };
}

function allowing<T extends KubeObject>(strategy: Strategy<T>): Strategy<T> {
  return {
    ...strategy,
    validate: (context, object) => others(strategy.validate(context, object)),
    validateUpdate: (context, object, old) => others(strategy.validateUpdate(context, object, old)),
  };
}

function others(errors: readonly FieldError[]): readonly FieldError[] {
  return errors.length === 0 ? errors : errors.filter((error) => !isPrivilegedRefusal(error));
}
