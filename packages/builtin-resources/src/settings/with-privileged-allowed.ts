import type { KubeObject } from '@apiserver/apimachinery';
import type { FieldError } from '@apiserver/apimachinery/field';
import type { AnyResourceDefinition, Strategy, SubresourceDefinition } from '@apiserver/apiserver-contracts';
import { isPrivilegedRefusal } from '../core/pod-spec/security/privileged.js';

/** The kinds that run containers, by group. */
const RUNNING: Readonly<Record<string, readonly string[]>> = {
  '': ['pods', 'podtemplates', 'replicationcontrollers'],
  apps: ['daemonsets', 'deployments', 'replicasets', 'statefulsets'],
  batch: ['cronjobs', 'jobs'],
};

/**
 * The definition for a server that lets containers be privileged: what validation says about that is not said. Other
 * definitions stay as they are.
 * Upstream: pkg/capabilities, set up from --allow-privileged
 */
export function withPrivilegedAllowed(definition: AnyResourceDefinition): AnyResourceDefinition {
  const { group, resource } = definition;
  if (!RUNNING[group]?.includes(resource)) return definition;
  const subresources = Object.entries(definition.subresources).map(([name, subresource]) => [
    name,
    allowed(subresource),
  ]);
  return { ...allowed(definition), subresources: Object.fromEntries(subresources) };
}

function allowed<D extends AnyResourceDefinition | SubresourceDefinition>(definition: D): D {
  return { ...definition, strategy: allowing(definition.strategy) };
}

function allowing(strategy: Strategy): Strategy<KubeObject> {
  return {
    ...strategy,
    validate: (context, object) => others(strategy.validate(context, object)),
    validateUpdate: (context, object, old) => others(strategy.validateUpdate(context, object, old)),
  };
}

function others(errors: readonly FieldError[]): readonly FieldError[] {
  return errors.length === 0 ? errors : errors.filter((error) => !isPrivilegedRefusal(error));
}
