import { Scale } from '@apiserver/api/autoscaling/v1';
import type { GroupResource, KubeObject, ObjectMeta } from '@apiserver/apimachinery';
import { newBadRequest, newConflict, newInvalid, newNotFound } from '@apiserver/apimachinery/errors';
import { type FieldError, FieldPath } from '@apiserver/apimachinery/field';
import { cloneJson } from '@apiserver/apimachinery/json';
import {
  fieldPathOf,
  managedFieldsFromScale,
  managedFieldsToScale,
  type ReplicasPaths,
} from '@apiserver/apimachinery/structured-merge-diff';
import { ParseError } from '@apiserver/apimachinery/text';
import { nameIsDNSSubdomain, validateNonnegative } from '@apiserver/apimachinery/validation';
import type {
  GenericStore,
  RestStorage,
  StoredObject,
  Strategy,
  SubresourceDefinition,
  UpdateRequest,
} from '@apiserver/apiserver-contracts';
import { ageColumn, nameColumn } from '../columns/common-columns.js';
import { validateBuiltInObjectMeta } from '../validation/object-meta.js';

/** A scalable workload. */
export interface Scalable extends KubeObject {
  spec: { replicas?: number };
  status: { replicas?: number };
}

/** Scaling of one kind of workload. */
export interface ScaleDeclaration<T extends Scalable> {
  readonly resource: GroupResource;
  /** The group of the scale in error messages; default: the resource's own. */
  readonly scaleGroup?: string;
  /** Rethrow errors of reading the workload. By default, every such error becomes "not found". */
  readonly tellsReadErrors?: boolean;
  /** The workload's own strategy: scaling updates the workload. */
  readonly strategy: Strategy<T>;
  /** The label selector of the counted pods, as text. Throws a ParseError if it is invalid. */
  selectorText(workload: T): string;
}

/**
 * The scale subresource of a workload, which reads and writes its replicas as a Scale.
 * Upstream: ScaleREST of pkg/registry/apps/deployment/storage/storage.go and its like
 */
export function scaleSubresource<T extends Scalable>(declaration: ScaleDeclaration<T>): SubresourceDefinition<T> {
  return {
    strategy: declaration.strategy,
    schema: Scale,
    columns: [nameColumn, ageColumn],
    override: (workloads) => scaleStorage(declaration, workloads),
  };
}

function scaleStorage<T extends Scalable>(declaration: ScaleDeclaration<T>, workloads: GenericStore<T>): RestStorage {
  const scale = (stored: StoredObject<T>): StoredObject => ({
    object: scaleOf(declaration, stored.object),
    resourceVersion: stored.resourceVersion,
    wire: () => undefined,
  });
  return {
    async get(context, name, options) {
      const stored = await workloads.get(context, name, options).catch((error: unknown) => {
        // Upstream returns "not found" for every failure.
        throw declaration.tellsReadErrors ? error : newNotFound(scaleResource(declaration), name);
      });
      return scale(stored);
    },
    async update(context, request) {
      const { stored } = await workloads.update(context, workloadUpdate(declaration, request));
      return { stored: scale(stored), created: false };
    },
  };
}

/** The scale's resource in read errors. */
function scaleResource<T extends Scalable>({ resource, scaleGroup }: ScaleDeclaration<T>): GroupResource {
  return scaleOfResource({ group: scaleGroup ?? resource.group, resource: resource.resource });
}

/**
 * The scale's resource in write errors, always in the workload's group.
 * Upstream: scaleUpdatedObjectInfo of the same files
 */
function scaleOfResource({ group, resource }: GroupResource): GroupResource {
  return { group, resource: `${resource}/scale` };
}

/** Converts an update of the scale to an update of the workload. */
function workloadUpdate<T extends Scalable>(
  declaration: ScaleDeclaration<T>,
  { name, objectInfo, options, ...request }: UpdateRequest,
): UpdateRequest<T> {
  const asScale = (workload: T) => scaleOf(declaration, workload);
  return {
    name,
    options,
    forceAllowCreate: false,
    validateCreate: (workload) => request.validateCreate(asScale(workload)),
    validateUpdate: (workload, old) => request.validateUpdate(asScale(workload), asScale(old)),
    objectInfo: {
      ...(objectInfo.preconditions === undefined ? {} : { preconditions: objectInfo.preconditions }),
      async updatedObject(context, old) {
        if (old === undefined) throw newNotFound(scaleOfResource(declaration.resource), name);
        const scale = (await objectInfo.updatedObject(context, withManagers(asScale(old), old))) as Scale;
        refuse(declaration, old, scale);
        return scaled(old, scale);
      },
    },
  };
}

/** Throws 422 for an invalid scale, 409 for that of another workload with the same name. */
function refuse<T extends Scalable>(declaration: ScaleDeclaration<T>, { metadata }: T, scale: Scale): void {
  const errors = validateScale(scale);
  if (errors.length > 0) throw newInvalid({ group: 'autoscaling', kind: 'Scale' }, metadata.name ?? '', errors);
  const { uid } = scale.metadata;
  if (!uid || uid === metadata.uid) return;
  const cause = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${metadata.uid ?? ''}`;
  throw newConflict(scaleOfResource(declaration.resource), metadata.name ?? '', cause);
}

/** Upstream: ValidateScale of pkg/apis/autoscaling/validation/validation.go */
export function validateScale({ metadata, spec }: Scale): readonly FieldError[] {
  const path = FieldPath.of('metadata');
  return [
    ...validateBuiltInObjectMeta(metadata, { namespaced: true, validateName: nameIsDNSSubdomain, path }),
    ...validateNonnegative(spec.replicas ?? 0, FieldPath.of('spec', 'replicas')),
  ];
}

const REPLICAS = fieldPathOf('spec', 'replicas');
/**
 * The paths of replicas in current and former versions of workloads. Upstream: replicasPathInDeployment and its like
 */
const REPLICAS_PATHS: ReplicasPaths = {
  v1: REPLICAS,
  'apps/v1': REPLICAS,
  'apps/v1beta1': REPLICAS,
  'apps/v1beta2': REPLICAS,
};

/** The scale with the workload's managers of replicas. */
function withManagers(scale: Scale, { metadata }: Scalable): Scale {
  const managedFields = managedFieldsToScale(metadata.managedFields, REPLICAS_PATHS);
  return managedFields === undefined ? scale : { ...scale, metadata: { ...scale.metadata, managedFields } };
}

/** The workload with the scale's replicas, managers and resourceVersion. */
function scaled<T extends Scalable>(old: T, { metadata, spec }: Scale): T {
  const { resourceVersion } = metadata;
  const workload = cloneJson(old);
  const { apiVersion } = workload;
  const managers = managedFieldsFromScale(metadata.managedFields, old.metadata.managedFields, {
    apiVersion,
    paths: REPLICAS_PATHS,
  });
  if (managers === undefined) delete workload.metadata.managedFields;
  else workload.metadata.managedFields = managers;
  workload.spec.replicas = spec.replicas ?? 0;
  if (resourceVersion) workload.metadata.resourceVersion = resourceVersion;
  else delete workload.metadata.resourceVersion;
  return workload;
}

function scaleOf<T extends Scalable>(declaration: ScaleDeclaration<T>, workload: T): Scale {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = workload.metadata;
  const { replicas = 0 } = workload.spec;
  const selector = selectorOf(declaration, workload);
  return {
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata: defined({ name, namespace, uid, resourceVersion, creationTimestamp }),
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: workload.status.replicas ?? 0, ...(selector === '' ? {} : { selector }) },
  };
}

/** Throws 400 for an invalid selector. */
function selectorOf<T extends Scalable>({ selectorText }: ScaleDeclaration<T>, workload: T): string {
  try {
    return selectorText(workload);
  } catch (error) {
    throw error instanceof ParseError ? newBadRequest(error.message) : error;
  }
}

function defined(meta: { readonly [K in keyof ObjectMeta]: ObjectMeta[K] | undefined }): ObjectMeta {
  return Object.fromEntries(Object.entries(meta).filter(([, value]) => value !== undefined));
}
