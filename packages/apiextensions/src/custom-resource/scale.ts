import type { CustomResourceSubresourceScale } from '@apiserver/api/apiextensions/v1';
import { Scale } from '@apiserver/api/autoscaling/v1';
import type { KubeObject, ObjectMeta } from '@apiserver/apimachinery';
import { newBadRequest, newInternalError, plainFailure } from '@apiserver/apimachinery/errors';
import { cloneJson, setOwn } from '@apiserver/apimachinery/json';
import {
  fieldPathOf,
  managedFieldsFromScale,
  managedFieldsToScale,
  type ReplicasPaths,
} from '@apiserver/apimachinery/structured-merge-diff';
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
    get: async (context, name, options) => existingScale(await get(context, name, options), paths),
    update: async (context, request) => {
      const { stored } = await update(context, parentUpdate(request, paths, parent));
      return { stored: scaleObject(stored, scaleOf(stored.object, paths).object), created: false };
    },
  };
}

/** Throws a 500 for a resource that says nothing of its replicas. */
function existingScale(parent: StoredObject, paths: CustomResourceSubresourceScale): StoredObject {
  const { object, hasReplicas } = scaleOf(parent.object, paths);
  if (hasReplicas) return scaleObject(parent, object);
  throw newInternalError(new Error(`the spec replicas field "${paths.specReplicasPath}" does not exist`));
}

function scaleObject({ resourceVersion }: StoredObject, object: KubeObject): StoredObject {
  return { object, resourceVersion, wire: () => undefined };
}

/** Throws a 500 for paths that lead to something else than numbers and text. Upstream: scaleFromCustomResource */
function scaleOf(
  parent: KubeObject,
  paths: CustomResourceSubresourceScale,
): { readonly object: KubeObject; readonly hasReplicas: boolean } {
  const { specReplicasPath, statusReplicasPath, labelSelectorPath } = paths;
  const asked = read<number>(parent, specReplicasPath, 'int64');
  const replicas = read<number>(parent, statusReplicasPath, 'int64') ?? 0;
  const selector = labelSelectorPath ? read<string>(parent, labelSelectorPath, 'string') : undefined;
  const { name, namespace, uid, resourceVersion, creationTimestamp } = parent.metadata;
  const object: KubeObject = {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: defined({ name, namespace, uid, resourceVersion, creationTimestamp }),
    spec: { ...(asked && { replicas: asked }) },
    status: { replicas, ...(selector && { selector }) },
  };
  return { object, hasReplicas: asked !== undefined };
}

function read<T>(parent: KubeObject, path: string, type: 'int64' | 'string'): T | undefined {
  const { value, fault } = nestedValue<T>(parent, path, type);
  if (fault !== undefined) throw plainFailure(500, fault);
  return value;
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
  const withScale = (object: KubeObject) => scaleOf(object, paths).object;
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
  const { apiVersion, replicas } = parent;
  if (old === undefined) throw newBadRequest(`${name} does not exist`);
  const { managedFields } = old.metadata;
  const scale = await objectInfo.updatedObject(context, scaleToChange(old, paths, replicas));
  const object = cloneJson(old) as KubeObject;
  setNested(object, paths.specReplicasPath, askedReplicas(scale, paths));
  // Whether that is the one stored, the update of the parent looks.
  if (scale.metadata.resourceVersion) object.metadata.resourceVersion = scale.metadata.resourceVersion;
  const taken = managedFieldsFromScale(scale.metadata.managedFields, managedFields, { apiVersion, paths: replicas });
  if (taken === undefined) delete object.metadata.managedFields;
  else object.metadata.managedFields = taken;
  return object;
}

/** Stands for replicas that nobody has set, as upstream: the smallest int32. */
const UNSET_REPLICAS = -2_147_483_648;

/** The scale that an update or patch starts from. */
function scaleToChange(old: KubeObject, paths: CustomResourceSubresourceScale, replicas: ReplicasPaths): KubeObject {
  const { object, hasReplicas } = scaleOf(old, paths);
  if (!hasReplicas) object['spec'] = { replicas: UNSET_REPLICAS };
  const managed = managedFieldsToScale(old.metadata.managedFields, replicas);
  if (managed !== undefined) object.metadata.managedFields = managed;
  return object;
}

function askedReplicas(scale: KubeObject, { specReplicasPath }: CustomResourceSubresourceScale): unknown {
  const replicas = (scale['spec'] as Members | undefined)?.['replicas'] ?? 0;
  if (replicas !== UNSET_REPLICAS) return replicas;
  throw newBadRequest(`the spec replicas field "${specReplicasPath}" cannot be empty`);
}

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
