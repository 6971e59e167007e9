import { formatGroupVersion, type OwnerReference, tryParseGroupVersion } from '@apiserver/apimachinery';
import { TimeSlice } from '@apiserver/apimachinery/clock';
import { equalJson } from '@apiserver/apimachinery/json';
import { quote } from '@apiserver/apimachinery/text';
import {
  type AdmissionAttributes,
  type AdmissionPlugin,
  type ResourceAccess,
  resourceAttributes,
} from '@apiserver/apiserver-contracts';
import { isResource, PODS } from '../endpoint.js';
import { newAdmissionForbidden } from '../forbidden.js';
import type { AdmissionPluginDependencies, MappedResource } from '../plugin-definition.js';

type Dependencies = Pick<AdmissionPluginDependencies, 'authorizer' | 'resourcesOf'>;
type OwnerReferences = readonly OwnerReference[];

/**
 * A change of an object's owner references requires the permission to delete the object. An owner reference that
 * blocks deletion requires the permission to set the owner's finalizers.
 * Upstream: plugin/pkg/admission/gc
 */
export function ownerReferencesPermissionEnforcement(dependencies: Dependencies): AdmissionPlugin {
  return {
    name: 'OwnerReferencesPermissionEnforcement',
    // The strategy of a pod's status keeps owner references; old kubelets corrupt them.
    handles: (operation, { resource, subresource }) =>
      (operation === 'CREATE' || operation === 'UPDATE') && !(subresource === 'status' && isResource(resource, PODS)),
    validate(attributes) {
      const [owners, old] = [ownersOf(attributes.object), ownersOf(attributes.oldObject)];
      if (equalJson(owners, old)) return;
      return new OwnerChange(attributes, dependencies).check(newlyBlocking(owners, old));
    },
  };
}

/** Kinds of requests differ: not every object of a subresource has metadata. */
function ownersOf(
  object: { readonly metadata?: { readonly ownerReferences?: OwnerReferences } } | undefined,
): OwnerReferences {
  return object?.metadata?.ownerReferences ?? [];
}

function newlyBlocking(owners: OwnerReferences, old: OwnerReferences): OwnerReferences {
  const blocking = new Set(old.filter(({ blockOwnerDeletion }) => blockOwnerDeletion).map(({ uid }) => uid));
  return owners.filter(({ blockOwnerDeletion, uid }) => blockOwnerDeletion && !blocking.has(uid));
}

/** A request that changes owner references. */
class OwnerChange {
  readonly #attributes: AdmissionAttributes;
  readonly #dependencies: Dependencies;

  constructor(attributes: AdmissionAttributes, dependencies: Dependencies) {
    this.#attributes = attributes;
    this.#dependencies = dependencies;
  }

  /** Throws 403 if the user lacks a permission. */
  async check(blocking: OwnerReferences): Promise<void> {
    if (this.#attributes.operation === 'UPDATE') await this.#checkDeletion();
    if (blocking.length === 0) return;
    // An account that may set all finalizers needs no discovery, which may fail while a cluster starts.
    if ((await this.#refusal(finalizersOf('*', '*', '*'))) === undefined) return;
    const slice = new TimeSlice();
    for (const owner of blocking) {
      if (slice.over) await slice.yield();
      await this.#checkOwner(owner);
    }
  }

  async #checkDeletion(): Promise<void> {
    const { resource, subresource, namespace, name } = this.#attributes;
    const { group: apiGroup, version: apiVersion } = resource;
    const access = { verb: 'delete', namespace, apiGroup, apiVersion, resource: resource.resource, subresource, name };
    await this.#require(access, "cannot set an ownerRef on a resource you can't delete");
  }

  async #checkOwner({ apiVersion, kind, name }: OwnerReference): Promise<void> {
    for (const { resource, namespaced } of await this.#resourcesOf(apiVersion, kind)) {
      const access = finalizersOf(resource.group, resource.version, resource.resource);
      const namespace = namespaced ? this.#attributes.namespace : '';
      await this.#require(
        { ...access, namespace, name },
        "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on",
      );
    }
  }

  async #resourcesOf(apiVersion: string, kind: string): Promise<readonly MappedResource[]> {
    const parsed = tryParseGroupVersion(apiVersion);
    const found = parsed === undefined ? [] : await this.#dependencies.resourcesOf({ ...parsed, kind });
    if (found.length > 0) return found;
    const reason =
      parsed === undefined
        ? `unexpected GroupVersion string: ${apiVersion}`
        : `no matches for kind ${quote(kind)} in version ${quote(formatGroupVersion(parsed))}`;
    const failed = `cannot find RESTMapping for APIVersion ${apiVersion} Kind ${kind}: ${reason}`;
    throw newAdmissionForbidden(this.#attributes, `cannot set blockOwnerDeletion in this case because ${failed}`);
  }

  async #require(access: ResourceAccess, fault: string): Promise<void> {
    const refusal = await this.#refusal(access);
    if (refusal !== undefined) throw newAdmissionForbidden(this.#attributes, `${fault}: ${refusal}`);
  }

  /** The reason and the error of a refusal, as upstream prints them; undefined if the access is allowed. */
  async #refusal(access: ResourceAccess): Promise<string | undefined> {
    const { user, signal } = this.#attributes;
    if (user === undefined) return ', <nil>';
    const { authorizer } = this.#dependencies;
    const { decision, reason, error } = await authorizer.authorize(resourceAttributes(user, access), signal);
    return decision === 'Allow' ? undefined : `${reason}, ${error?.message ?? '<nil>'}`;
  }
}

function finalizersOf(apiGroup: string, apiVersion: string, resource: string): ResourceAccess {
  return { verb: 'update', apiGroup, apiVersion, resource, subresource: 'finalizers', name: '*' };
}
