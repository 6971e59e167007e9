import type { CustomResourceSubresourceScale } from '@apiserver/api/apiextensions/v1';
import { Scale } from '@apiserver/api/autoscaling/v1';
import {
  cloneJson,
  fieldPathOf,
  type GroupResource,
  type KubeObject,
  managedFieldsFromScale,
  managedFieldsToScale,
  newBadRequest,
  newConflict,
  newInternalError,
  type ObjectMeta,
  type ReplicasPaths,
  setOwn,
} from '@apiserver/apimachinery';
import type {
  RestStorage,
  StoredObject,
  UpdatedObjectInfo,
  UpdateRequest,
  VerbContext,
} from '@apiserver/apiserver-contracts';
import { nestedValue, pathNames } from './scale-paths.js';

/** What a scale is of. */
export interface ScaleParent {
  readonly groupResource: GroupResource;
  /** Of the version in which the scale is asked for. */
  readonly apiVersion: string;
  /** Of every version, for the managed fields that were written in it. */
  readonly replicas: ReplicasPaths;
}

/** Where the replicas are in a version that has a scale. */
export function replicasPath({ specReplicasPath }: CustomResourceSubresourceScale): ReplicasPaths[string] {
  return fieldPathOf(...pathNames(specReplicasPath));
}

/** The kind of the subresource, the same for every custom resource. */
export const scaleSchema = Scale;

type Members = { [key: string]: unknown };

/**
 * The scale of a custom resource: its replicas, read and written through the paths that its CRD names.
 *
 * Upstream: ScaleREST of k8s.io/apiextensions-apiserver/pkg/registry/customresource/etcd.go
 */
export function scaleStorage(
  main: RestStorage,
  paths: CustomResourceSubresourceScale,
  parent: ScaleParent,
): RestStorage {
  const { get, update } = main;
  if (get === undefined || update === undefined)
    throw new TypeError('a scale needs a resource that can be read and written');
  return {
    get: async (context, name, options) => scaleObject(await get(context, name, options), paths),
    update: async (context, request) => {
      const { stored } = await update(context, parentUpdate(request, paths, parent));
      return { stored: scaleObject(stored, paths), created: false };
    },
  };
}

function scaleObject(parent: StoredObject, paths: CustomResourceSubresourceScale): StoredObject {
  const object = scaleOf(parent.object, paths);
  return { object, resourceVersion: parent.resourceVersion, wire: () => undefined };
}

/** Throws a 500 for paths that lead to something else than numbers. Upstream: scaleFromCustomResource */
function scaleOf(parent: KubeObject, paths: CustomResourceSubresourceScale): KubeObject {
  const { specReplicasPath, statusReplicasPath, labelSelectorPath } = paths;
  const spec = nestedValue<number>(parent, specReplicasPath, 'int64');
  if (spec.value === undefined) {
    throw newInternalError(new Error(spec.fault ?? `the spec replicas field "${specReplicasPath}" does not exist`));
  }
  const status = nestedValue<number>(parent, statusReplicasPath, 'int64');
  const selector = labelSelectorPath ? nestedValue<string>(parent, labelSelectorPath, 'string').value : undefined;
  const { name, namespace, uid, resourceVersion, creationTimestamp } = parent.metadata;
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: defined({ name, namespace, uid, resourceVersion, creationTimestamp }),
    spec: { ...(spec.value !== 0 && { replicas: spec.value }) },
    status: { replicas: status.value ?? 0, ...(selector && { selector }) },
  };
}

function defined(meta: { readonly [K in keyof ObjectMeta]: ObjectMeta[K] | undefined }): ObjectMeta {
  return Object.fromEntries(Object.entries(meta).filter(([, value]) => value !== undefined));
}

/** The update of the parent that an update of its scale stands for. */
function parentUpdate(
  request: UpdateRequest,
  paths: CustomResourceSubresourceScale,
  parent: ScaleParent,
): UpdateRequest {
  const withScale = (object: KubeObject) => scaleOf(object, paths);
  const objectInfo: UpdatedObjectInfo<KubeObject> = {
    ...(request.objectInfo.preconditions && { preconditions: request.objectInfo.preconditions }),
    updatedObject: (context, old) => updatedParent(request, { context, old, paths, parent }),
  };
  return {
    name: request.name,
    objectInfo,
    validateCreate: (object) => request.validateCreate(withScale(object)),
    validateUpdate: (object, old) => request.validateUpdate(withScale(object), withScale(old)),
    forceAllowCreate: false,
    options: request.options,
  };
}

async function updatedParent(
  { objectInfo, name }: UpdateRequest,
  target: {
    readonly context: VerbContext;
    readonly old: KubeObject | undefined;
    readonly paths: CustomResourceSubresourceScale;
    readonly parent: ScaleParent;
  },
): Promise<KubeObject> {
  const { context, old, paths, parent } = target;
  const { groupResource, apiVersion, replicas } = parent;
  if (old === undefined) throw newBadRequest(`${name} does not exist`);
  const { managedFields } = old.metadata;
  const before = scaleOf(old, paths);
  const managed = managedFieldsToScale(managedFields, replicas);
  const metadata = managed === undefined ? before.metadata : { ...before.metadata, managedFields: managed };
  const scale = await objectInfo.updatedObject(context, { ...before, metadata });
  const asked = scale.metadata.resourceVersion;
  if (asked && asked !== old.metadata.resourceVersion) throw newConflict(groupResource, name, modified);
  const object = cloneJson(old) as KubeObject;
  setNested(object, paths.specReplicasPath, (scale['spec'] as Members | undefined)?.['replicas'] ?? 0);
  const taken = managedFieldsFromScale(scale.metadata.managedFields, managedFields, { apiVersion, paths: replicas });
  if (taken === undefined) delete object.metadata.managedFields;
  else object.metadata.managedFields = taken;
  return object;
}

const modified = 'the object has been modified; please apply your changes to the latest version and try again';

function setNested(object: Members, path: string, value: unknown): void {
  const names = [...pathNames(path)];
  const last = names.pop() ?? '';
  let place: Members = object;
  for (const name of names) {
    const next = Object.hasOwn(place, name) ? place[name] : undefined;
    const members = typeof next === 'object' && next !== null && !Array.isArray(next) ? (next as Members) : {};
    setOwn(place, name, members);
    place = members;
  }
  setOwn(place, last, value);
}
