import type { Scale } from '@apiserver/api/autoscaling/v1';
import type { KubeObject, ObjectMeta } from '@apiserver/apimachinery';
import { cloneJson, definedMembers } from '@apiserver/apimachinery/json';
import {
  managedFieldsFromScale,
  managedFieldsToScale,
  type ReplicasPaths,
} from '@apiserver/apimachinery/structured-merge-diff';
import {
  loadedObject,
  type ObjectVerbs,
  type RestStorage,
  type StoredObject,
  type UpdatedObjectInfo,
  type UpdateRequest,
} from '@apiserver/apiserver-contracts';

/** The rules for the scale of one sort of objects. */
export interface ScaleRules<T extends KubeObject> {
  /** The replicas in every version of the objects, for the managed fields that were written in it. */
  readonly replicas: ReplicasPaths;
  /** The version of new managed fields. */
  apiVersionOf(parent: T): string;
  /** The scale of an object. Throws a StatusError for an object that has none. */
  scaleOf(parent: T): Scale;
  /** The scale that a read responds with, where an object may lack what its scale must show. Absent: `scaleOf`. */
  shownScale?(parent: T): Scale;
  /** The scale that an update or a patch starts from. Absent: `scaleOf`. */
  scaleToChange?(parent: T): Scale;
  /** Throws a StatusError for a scale that the object refuses. */
  checkScale(parent: T, scale: Scale): void;
  /** Writes the replicas of the scale. Mutates `parent`. */
  setReplicas(parent: T, scale: Scale): void;
  /**
   * A scale without resourceVersion is written over any version. Otherwise the version that was read must be stored.
   */
  readonly overwritesAnyVersion: boolean;
  /** The error for an object that cannot be read. Absent: the error of the read. */
  readError?(name: string): unknown;
  /** The error of an update of an object that does not exist. */
  missing(name: string): unknown;
}

/**
 * The scale of objects: their replicas, read and written as a Scale.
 * Upstream: ScaleREST of pkg/registry/apps/deployment/storage/storage.go and its like,
 * and of k8s.io/apiextensions-apiserver/pkg/registry/customresource/etcd.go
 */
export function scaleStorage<T extends KubeObject>(
  parents: Pick<ObjectVerbs<T>, 'get' | 'update'>,
  rules: ScaleRules<T>,
): RestStorage {
  const { shownScale = rules.scaleOf } = rules;
  return {
    async get(context, name, options) {
      const stored = await parents.get(context, name, options).catch((error: unknown) => {
        throw rules.readError === undefined ? error : rules.readError(name);
      });
      return storedScale(stored, shownScale(await loadedObject(stored)));
    },
    async update(context, request) {
      const { stored } = await parents.update(context, parentUpdate(request, rules));
      return { stored: storedScale(stored, rules.scaleOf(await loadedObject(stored))), created: false };
    },
  };
}

function storedScale({ resourceVersion }: StoredObject, object: Scale): StoredObject {
  return { object, resourceVersion, wire: () => undefined };
}

/** The metadata of an object's scale. */
export function scaleMetadata(parent: ObjectMeta): ObjectMeta {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = parent;
  return definedMembers({ name, namespace, uid, resourceVersion, creationTimestamp });
}

/** The update of the object that an update of its scale stands for. */
function parentUpdate<T extends KubeObject>(
  { name, objectInfo, options, ...request }: UpdateRequest,
  rules: ScaleRules<T>,
): UpdateRequest<T> {
  const { preconditions } = objectInfo;
  return {
    name,
    options,
    forceAllowCreate: false,
    validateCreate: (parent) => request.validateCreate(rules.scaleOf(parent)),
    validateUpdate: (parent, old) => request.validateUpdate(rules.scaleOf(parent), rules.scaleOf(old)),
    objectInfo: { ...(preconditions && { preconditions }), ...changedParent(name, objectInfo, rules) },
  };
}

function changedParent<T extends KubeObject>(
  name: string,
  objectInfo: UpdatedObjectInfo<KubeObject>,
  rules: ScaleRules<T>,
): UpdatedObjectInfo<T> {
  const { scaleToChange = rules.scaleOf } = rules;
  return {
    async updatedObject(context, old) {
      if (old === undefined) throw rules.missing(name);
      const before = withManagers(scaleToChange(old), old, rules);
      const scale = (await objectInfo.updatedObject(context, before)) as Scale;
      rules.checkScale(old, scale);
      return scaled(old, scale, rules);
    },
  };
}

/** The scale with the managers of the object's replicas. */
function withManagers<T extends KubeObject>(scale: Scale, { metadata }: T, { replicas }: ScaleRules<T>): Scale {
  const managedFields = managedFieldsToScale(metadata.managedFields, replicas);
  return managedFields === undefined ? scale : { ...scale, metadata: { ...scale.metadata, managedFields } };
}

/** The object with the replicas, their managers and the version of the scale. */
function scaled<T extends KubeObject>(old: T, scale: Scale, rules: ScaleRules<T>): T {
  const { resourceVersion, managedFields } = scale.metadata;
  const parent = cloneJson(old);
  const managers = managedFieldsFromScale(managedFields, old.metadata.managedFields, {
    apiVersion: rules.apiVersionOf(old),
    paths: rules.replicas,
  });
  if (managers === undefined) delete parent.metadata.managedFields;
  else parent.metadata.managedFields = managers;
  rules.setReplicas(parent, scale);
  if (resourceVersion) parent.metadata.resourceVersion = resourceVersion;
  else if (rules.overwritesAnyVersion) delete parent.metadata.resourceVersion;
  return parent;
}
