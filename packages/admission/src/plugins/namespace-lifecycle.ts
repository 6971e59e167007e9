import { CAUSE_NAMESPACE_TERMINATING, type KubeObject } from '@apiserver/apimachinery';
import { ExpiringCache } from '@apiserver/apimachinery/clock';
import { isNotFound, newForbidden, newInternalError, StatusError } from '@apiserver/apimachinery/errors';
import type { AdmissionAttributes, AdmissionPlugin, Informer } from '@apiserver/apiserver-contracts';
import { isResource } from '../endpoint.js';
import { newAdmissionForbidden } from '../forbidden.js';
import { NAMESPACES } from '../namespace-lookup.js';
import { ViewReadiness } from '../view-readiness.js';

/** The fields of a namespace that the plugin reads. */
export type NamespaceWithPhase = KubeObject & { readonly status?: { readonly phase?: string } };

/** Dependencies of `namespaceLifecycle`. */
export interface NamespaceLifecycleOptions {
  /** Serves almost every request. */
  readonly informer: Informer<NamespaceWithPhase>;
  /** Reads a namespace through the API, in case the informer is behind. Throws 404. */
  readonly getNamespace: (name: string) => Promise<NamespaceWithPhase>;
  readonly clock: { now(): number };
}

/** The response to an access review must not reveal whether the namespace exists. */
const ACCESS_REVIEWS = { group: 'authorization.k8s.io', resource: 'localsubjectaccessreviews' };

/** A cluster does not work without these. */
const IMMORTAL_NAMESPACES: ReadonlySet<string> = new Set(['default', 'kube-system', 'kube-public']);

/** Time for which namespaces are looked up live after a request to delete one. Upstream: forceLiveLookupTTL */
const FORCE_LIVE_LOOKUP_MS = 30_000;
const FORCE_LIVE_LOOKUP_ENTRIES = 100;

/**
 * Refuses objects in namespaces that do not exist (404) or are terminating (403), and the deletion of immortal
 * namespaces.
 * Upstream: k8s.io/apiserver/pkg/admission/plugin/namespace/lifecycle
 */
export function namespaceLifecycle(options: NamespaceLifecycleOptions): AdmissionPlugin {
  const toDelete = new ExpiringCache<true>(options.clock, FORCE_LIVE_LOOKUP_ENTRIES);
  const view = new ViewReadiness(options.informer);
  return {
    name: 'NamespaceLifecycle',
    handles: (operation, { resource, namespaced }) => {
      if (isResource(resource, NAMESPACES)) return operation === 'DELETE';
      return namespaced && (operation === 'CREATE' || operation === 'UPDATE') && !isResource(resource, ACCESS_REVIEWS);
    },
    admit(attributes) {
      if (isResource(attributes.resource, NAMESPACES)) return admitNamespace(attributes, toDelete);
      if (attributes.namespace === '') return;
      const unready = view.ready(attributes);
      if (unready !== undefined) return unready.then(() => admitContent(attributes, options, toDelete));
      return admitContent(attributes, options, toDelete);
    },
  };
}

function admitNamespace(attributes: AdmissionAttributes, toDelete: ExpiringCache<true>): void {
  if (IMMORTAL_NAMESPACES.has(attributes.name)) {
    throw newForbidden(attributes.resource, attributes.name, 'this namespace may not be deleted');
  }
  toDelete.set(attributes.name, true, FORCE_LIVE_LOOKUP_MS);
}

function admitContent(
  attributes: AdmissionAttributes,
  options: NamespaceLifecycleOptions,
  toDelete: ExpiringCache<true>,
): Promise<void> | void {
  const known = options.informer.get('', attributes.namespace);
  // The informer may not yet have received a creation or a requested deletion.
  const behind = known === undefined || (toDelete.get(attributes.namespace) && known.status?.phase === 'Active');
  if (!behind) return refuseTerminating(attributes, known);
  return liveNamespace(attributes.namespace, options).then((namespace) => refuseTerminating(attributes, namespace));
}

function refuseTerminating(attributes: AdmissionAttributes, namespace: NamespaceWithPhase): void {
  if (attributes.operation === 'CREATE' && namespace.status?.phase === 'Terminating') throw terminating(attributes);
}

/** Upstream first waits a little for its informer to catch up. An immediate lookup gives the same result sooner. */
async function liveNamespace(name: string, options: NamespaceLifecycleOptions): Promise<NamespaceWithPhase> {
  try {
    return await options.getNamespace(name);
  } catch (error) {
    throw isNotFound(error) ? error : newInternalError(error);
  }
}

function terminating(attributes: AdmissionAttributes): StatusError {
  const { namespace } = attributes;
  const reason = `unable to create new content in namespace ${namespace} because it is being terminated`;
  const { status } = newAdmissionForbidden(attributes, reason);
  const cause = {
    reason: CAUSE_NAMESPACE_TERMINATING,
    message: `namespace ${namespace} is being terminated`,
    field: 'metadata.namespace',
  };
  return new StatusError({ ...status, details: { ...status.details, causes: [cause] } });
}
