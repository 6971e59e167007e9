import { randomInt, randomUUID } from 'node:crypto';
import type { FeatureGates } from '@apiserver/apiserver-contracts';
import { orStartupErrorLater } from '@apiserver/component-base/process';
import type { GenericServerConfig } from '@apiserver/generic-server';
import type { StorageProvider } from '@apiserver/registry-store';
import { serverIdOf } from '../features/server-id.js';
import type { CompletedOptions } from '../options/complete-options.js';
import { applyAdmission } from './apply-admission.js';
import type { NodeAuthorization } from './node-authorization.js';
import { createRbacAuthorization, type RbacAuthorization } from './rbac-authorization.js';
import { webhookServiceResolver } from './webhook-services.js';

/** The authorizers that read the server's own objects. */
export interface AuthorizersOfObjects {
  readonly rbac: RbacAuthorization;
  /** Undefined if the mode Node is not configured. */
  readonly node: NodeAuthorization | undefined;
}

/** Applies the authorizers, and then the admission plugins, which use them. Rejects with a StartupError. */
export async function applyAuthorization(
  options: CompletedOptions,
  generic: GenericServerConfig,
  { hostname, provider }: { readonly hostname: string; readonly provider: StorageProvider },
): Promise<AuthorizersOfObjects> {
  const plan = await orStartupErrorLater(options.authorization.plan());
  const isEnforced = plan.authorizers.some(({ type }) => type === 'RBAC');
  const rbac = createRbacAuthorization({ context: generic, random: randomInt, isEnforced });
  const { gate } = options.features;
  const isNodeEnforced = plan.authorizers.some(({ type }) => type === 'Node');
  const node = isNodeEnforced ? await nodeAuthorization(generic, gate) : undefined;
  const made = { RBAC: rbac.authorizer, ...(node && { Node: node.authorizer }) };
  const { authorizer } = await orStartupErrorLater(
    options.authorization.applyTo(generic, { plan, made, serverId: serverIdOf(gate, hostname) }),
    'invalid authorization config: ',
  );
  const { enableAggregatorRouting: routeToEndpoints } = options.aggregator;
  await applyAdmission(options.admission, generic, {
    hostname,
    provider,
    authorizer,
    random: randomInt,
    newUid: randomUUID,
    features: gate,
    resolveService: webhookServiceResolver(generic, { routeToEndpoints, random: randomInt }),
  });
  return { rbac, node };
}

/** A server without the mode Node does not load its authorizer. */
async function nodeAuthorization(context: GenericServerConfig, features: FeatureGates): Promise<NodeAuthorization> {
  const { createNodeAuthorization } = await import('./node-authorization.js');
  return createNodeAuthorization({ context, random: randomInt, features });
}
