import { Scale } from '@apiserver/api/autoscaling/v1';
import type { GroupResource, KubeObject } from '@apiserver/apimachinery';
import {
  newBadRequest,
  newConflict,
  newInvalid,
  newNotFound,
  plainFailure,
  type StatusError,
} from '@apiserver/apimachinery/errors';
import { type FieldError, FieldPath } from '@apiserver/apimachinery/field';
import { fieldPathOf, type ReplicasPaths } from '@apiserver/apimachinery/structured-merge-diff';
import { isParseError } from '@apiserver/apimachinery/text';
import { nameIsDNSSubdomain, validateNonnegative } from '@apiserver/apimachinery/validation';
import type { Column, Strategy, SubresourceDefinition } from '@apiserver/apiserver-contracts';
import { ageColumn, nameColumn } from '../columns/common-columns.js';
import { describedColumn } from '../columns/make-column.js';
import { validateBuiltInObjectMeta } from '../validation/object-meta.js';
import { type ScaleRules, scaleMetadata, scaleStorage } from './scale-storage.js';

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

const INTEGER = { type: 'integer' };
/** Upstream: printScale of pkg/printers/internalversion/printers.go */
const SCALE_COLUMNS: readonly Column<Scalable>[] = [
  { ...nameColumn, format: '' },
  replicasColumn('Desired', 'Spec', ({ spec }) => spec.replicas),
  replicasColumn('Available', 'Status', ({ status }) => status.replicas),
  ageColumn,
];

function replicasColumn(
  name: string,
  part: 'Spec' | 'Status',
  replicasOf: (scale: Scalable) => number | undefined,
): Column<Scalable> {
  const field = [`io.k8s.api.autoscaling.v1.Scale${part}`, 'replicas'] as const;
  return describedColumn(name, field, (scale) => replicasOf(scale) ?? 0, INTEGER);
}

/**
 * The scale subresource of a workload, which reads and writes its replicas as a Scale.
 * Upstream: ScaleREST of pkg/registry/apps/deployment/storage/storage.go and its like
 */
export function scaleSubresource<T extends Scalable>(declaration: ScaleDeclaration<T>): SubresourceDefinition<T> {
  return {
    // Managers of a scale may own its whole status, although writes do not change it.
    strategy: { ...declaration.strategy, resetFields: [] },
    schema: Scale,
    columns: SCALE_COLUMNS,
    override: (workloads) => scaleStorage(workloads, workloadRules(declaration)),
  };
}

function workloadRules<T extends Scalable>(declaration: ScaleDeclaration<T>): ScaleRules<T> {
  const { resource, scaleGroup = resource.group, tellsReadErrors } = declaration;
  return {
    replicas: REPLICAS_PATHS,
    apiVersionOf: ({ apiVersion }) => apiVersion,
    scaleOf: (workload) => scaleOf(declaration, workload, newBadRequest),
    scaleToChange: (workload) => scaleOf(declaration, workload, (message) => plainFailure(500, message)),
    checkScale: (workload, scale) => refuse(declaration, workload, scale),
    setReplicas: (workload, { spec }) => {
      workload.spec.replicas = spec.replicas ?? 0;
    },
    overwritesAnyVersion: true,
    // Upstream returns "not found" for every failure.
    ...(!tellsReadErrors && {
      readError: (name) => newNotFound(scaleResource({ group: scaleGroup, resource: resource.resource }), name),
    }),
    missing: (name) => newNotFound(scaleResource(resource), name),
  };
}

/** The scale's resource in errors. Upstream: scaleUpdatedObjectInfo of the same files */
function scaleResource({ group, resource }: GroupResource): GroupResource {
  return { group, resource: `${resource}/scale` };
}

/** Throws 422 for an invalid scale, 409 for that of another workload with the same name. */
function refuse<T extends Scalable>(declaration: ScaleDeclaration<T>, { metadata }: T, scale: Scale): void {
  const errors = validateScale(scale);
  if (errors.length > 0) throw newInvalid({ group: 'autoscaling', kind: 'Scale' }, metadata.name ?? '', errors);
  const { uid } = scale.metadata;
  if (!uid || uid === metadata.uid) return;
  const cause = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${metadata.uid ?? ''}`;
  throw newConflict(scaleResource(declaration.resource), metadata.name ?? '', cause);
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

/** Throws `fault` of the message for an invalid selector. */
function scaleOf<T extends Scalable>(
  declaration: ScaleDeclaration<T>,
  workload: T,
  fault: (message: string) => StatusError,
): Scale {
  const { replicas = 0 } = workload.spec;
  const selector = selectorOf(declaration, workload, fault);
  return {
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata: scaleMetadata(workload.metadata),
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: workload.status.replicas ?? 0, ...(selector === '' ? {} : { selector }) },
  };
}

function selectorOf<T extends Scalable>(
  { selectorText }: ScaleDeclaration<T>,
  workload: T,
  fault: (message: string) => StatusError,
): string {
  try {
    return selectorText(workload);
  } catch (error) {
    throw isParseError(error) ? fault(error.message) : error;
  }
}
