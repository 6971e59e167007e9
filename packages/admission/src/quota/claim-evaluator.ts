import type { PersistentVolumeClaim } from '@apiserver/api/core/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import type { Amounts } from '@apiserver/apimachinery/values';
import { Quantity } from '@apiserver/apimachinery/values';
import { storageClassOf } from '@apiserver/resource-kit';
import { oneOf } from './amounts.js';
import type { QuotaEvaluator } from './quota-evaluator.js';
import { scopeMatches } from './scope-selector.js';

const COUNT = 'count/persistentvolumeclaims';
const CLAIMS = 'persistentvolumeclaims';
const STORAGE = 'requests.storage';
/** `gold.storageclass.storage.k8s.io/requests.storage` counts claims of the class gold only. */
const CLASS_SUFFIX = '.storageclass.storage.k8s.io/';

/**
 * Counts claims and the storage they ask for, in total and for each storage class.
 * Upstream: pkg/quota/v1/evaluator/core/persistent_volume_claims.go
 */
export const claimEvaluator: QuotaEvaluator = {
  handles: ({ operation }) => operation === 'CREATE' || operation === 'UPDATE',
  counts: (name) =>
    [COUNT, CLAIMS, STORAGE].includes(name) ||
    [CLAIMS, STORAGE].some((counted) => name.endsWith(`${CLASS_SUFFIX}${counted}`)),
  usage,
  matchesScope: (scope, object) =>
    scope.scopeName === 'VolumeAttributesClass' &&
    scopeMatches(scope, attributesClasses(object as PersistentVolumeClaim)),
  constraintFault: () => undefined,
};

function usage(object: KubeObject): Amounts {
  const claim = object as PersistentVolumeClaim;
  const storageClass = storageClassOf(claim);
  const ofClass = (name: string) => (storageClass === '' ? [] : [`${storageClass}${CLASS_SUFFIX}${name}`]);
  const result = oneOf(CLAIMS, COUNT, ...ofClass(CLAIMS));
  const storage = storageUsage(claim);
  if (storage === undefined) return result;
  for (const name of [STORAGE, ...ofClass(STORAGE)]) result.set(name, storage);
  return result;
}

/** The requested storage, or the storage being allocated if that is more, in whole bytes. */
function storageUsage({ spec, status }: PersistentVolumeClaim): Quantity | undefined {
  const requested = spec.resources?.requests?.['storage'];
  if (requested === undefined) return undefined;
  const request = Quantity.parse(requested).roundUp(0);
  const allocated = status?.allocatedResources?.['storage'];
  if (allocated === undefined) return request;
  const allocation = Quantity.parse(allocated);
  return allocation.compare(request) > 0 ? allocation.roundUp(0) : request;
}

/** The previous, current and next volume attributes classes of a claim. */
function attributesClasses({ spec, status }: PersistentVolumeClaim): string[] {
  const names = [
    spec.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ];
  return names.filter((name): name is string => Boolean(name));
}
