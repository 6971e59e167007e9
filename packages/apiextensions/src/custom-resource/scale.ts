import type { CustomResourceSubresourceScale } from '@apiserver/api/apiextensions/v1';
import type { Scale } from '@apiserver/api/autoscaling/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import { newBadRequest, newInternalError, plainFailure } from '@apiserver/apimachinery/errors';
import { isMembers, type Members, setOwn } from '@apiserver/apimachinery/json';
import { fieldPathOf, type ReplicasPaths } from '@apiserver/apimachinery/structured-merge-diff';
import { type ScaleRules, scaleMetadata } from '@apiserver/resource-kit';
import { nestedValue, pathNames } from './scale-paths.js';

/** The parent resource of a scale. */
export interface ScaleParent {
  /** The apiVersion in which the scale is requested. */
  readonly apiVersion: string;
  /** Of every version, because managed fields may be in any of them. */
  readonly replicas: ReplicasPaths;
}

/** The path of the replicas in a version with a scale. */
export function replicasPath({ specReplicasPath }: CustomResourceSubresourceScale): ReplicasPaths[string] {
  return fieldPathOf(...pathNames(specReplicasPath));
}

/**
 * The scale of a custom resource, which reads and writes its replicas at the paths in its CRD.
 *
 * Upstream: ScaleREST of k8s.io/apiextensions-apiserver/pkg/registry/customresource/etcd.go
 */
export function customScale(
  paths: CustomResourceSubresourceScale,
  { apiVersion, replicas }: ScaleParent,
): ScaleRules<KubeObject> {
  return {
    replicas,
    apiVersionOf: () => apiVersion,
    scaleOf: (parent) => readScale(parent, paths).scale,
    shownScale: (parent) => existingScale(parent, paths),
    scaleToChange: (parent) => {
      const { scale, hasReplicas } = readScale(parent, paths);
      return hasReplicas ? scale : { ...scale, spec: { replicas: UNSET_REPLICAS } };
    },
    checkScale: () => {},
    setReplicas: (parent, scale) => setNested(parent, paths.specReplicasPath, requestedReplicas(scale, paths)),
    overwritesAnyVersion: false,
    missing: (name) => newBadRequest(`${name} does not exist`),
  };
}

/** Throws a 500 if the resource has no replicas. */
function existingScale(parent: KubeObject, paths: CustomResourceSubresourceScale): Scale {
  const { scale, hasReplicas } = readScale(parent, paths);
  if (hasReplicas) return scale;
  throw newInternalError(new Error(`the spec replicas field "${paths.specReplicasPath}" does not exist`));
}

/** Throws a 500 if a path leads to a value of the wrong type. Upstream: scaleFromCustomResource */
function readScale(
  parent: KubeObject,
  paths: CustomResourceSubresourceScale,
): { readonly scale: Scale; readonly hasReplicas: boolean } {
  const { specReplicasPath, statusReplicasPath, labelSelectorPath } = paths;
  const requested = read<number | bigint>(parent, specReplicasPath, 'int64');
  const replicas = int32Of(read<number | bigint>(parent, statusReplicasPath, 'int64') ?? 0);
  const selector = labelSelectorPath ? read<string>(parent, labelSelectorPath, 'string') : undefined;
  const scale: Scale = {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: scaleMetadata(parent.metadata),
    spec: { ...(requested && { replicas: int32Of(requested) }) },
    status: { replicas, ...(selector && { selector }) },
  };
  return { scale, hasReplicas: requested !== undefined };
}

/** As Go converts an int64. */
function int32Of(value: number | bigint): number {
  return Number(BigInt.asIntN(32, BigInt(value)));
}

function read<T>(parent: KubeObject, path: string, type: 'int64' | 'string'): T | undefined {
  const { value, fault } = nestedValue<T>(parent, path, type);
  if (fault !== undefined) throw plainFailure(500, fault);
  return value;
}

/** The value for unset replicas, as upstream: the smallest int32. */
const UNSET_REPLICAS = -2_147_483_648;

function requestedReplicas({ spec }: Scale, { specReplicasPath }: CustomResourceSubresourceScale): number {
  const replicas = spec?.replicas ?? 0;
  if (replicas !== UNSET_REPLICAS) return replicas;
  throw newBadRequest(`the spec replicas field "${specReplicasPath}" cannot be empty`);
}

/** Throws a 500 if the path leads through a value that is no object. Upstream: setNestedFieldNoCopy */
function setNested(object: Members, path: string, value: unknown): void {
  const names = pathNames(path);
  let place: Members = object;
  for (const [index, name] of names.slice(0, -1).entries()) {
    const next = Object.hasOwn(place, name) ? place[name] : {};
    if (!isMembers(next)) {
      const reason = `.${names.slice(0, index + 1).join('.')} is not a map[string]interface{}`;
      throw plainFailure(500, `value cannot be set because ${reason}`);
    }
    setOwn(place, name, next);
    place = next;
  }
  setOwn(place, names.at(-1) ?? '', value);
}
