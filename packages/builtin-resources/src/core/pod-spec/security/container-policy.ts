import type { KubeObject } from '@apiserver/apimachinery';
import type { FieldError } from '@apiserver/apimachinery/field';
import type { ResourceDefinition, Strategy, SubresourceDefinition } from '@apiserver/apiserver-contracts';
import { droppingDisabledFields } from '../drop-disabled.js';
import { DEFAULT_POD_FEATURES, type PodFeatures } from '../pod-features.js';
import { isPrivilegedRefusal } from './privileged.js';

/** The server's policy for pods and their containers. Upstream: pkg/capabilities */
export interface ContainerPolicy {
  /** Upstream flag: --allow-privileged, default false */
  readonly allowPrivileged: boolean;
  /** Features that differ from the defaults of 1.36. */
  readonly features?: Partial<PodFeatures>;
}

/**
 * A kind with containers, for a server with this policy: if privileged containers are allowed, validation accepts
 * them; strategies drop the fields of features that are not enabled.
 */
export function withContainerPolicy<T extends KubeObject>(
  define: (features: PodFeatures) => ResourceDefinition<T>,
  { allowPrivileged, features: changes }: ContainerPolicy,
): ResourceDefinition<T> {
  const features = { ...DEFAULT_POD_FEATURES, ...changes };
  const definition = define(features);
  const dropping = { ...definition, strategy: droppingDisabledFields(definition.strategy, features) };
  return allowPrivileged ? allowingPrivileged(dropping) : dropping;
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
