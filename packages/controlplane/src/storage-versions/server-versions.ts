import type {
  ServerStorageVersion,
  StorageVersion,
  StorageVersionCondition,
  StorageVersionStatus,
} from '@apiserver/api/apiserverinternal/v1alpha1';
import { formatTime } from '@apiserver/apimachinery/values';

const ALL_EQUAL = 'AllEncodingVersionsEqual';

/**
 * The status with the versions of one server, and what all servers have in common. The time of the condition changes
 * with its status or with the common version.
 * Upstream: localUpdateStorageVersion in k8s.io/apiserver/pkg/storageversion/updater.go
 */
export function withServerVersions(
  { status, metadata }: Pick<StorageVersion, 'status' | 'metadata'>,
  own: ServerStorageVersion,
  now: number,
): StorageVersionStatus {
  const present = status.storageVersions ?? [];
  const known = present.findIndex(({ apiServerID }) => apiServerID === own.apiServerID);
  const storageVersions = known === -1 ? [...present, own] : present.with(known, own);
  const [first = own] = storageVersions;
  const isCommon = storageVersions.every(({ encodingVersion }) => encodingVersion === first.encodingVersion);
  const common = isCommon ? first.encodingVersion : undefined;
  const old = status.commonEncodingVersion ?? undefined;
  const condition: StorageVersionCondition = {
    type: ALL_EQUAL,
    status: isCommon ? 'True' : 'False',
    ...(metadata.generation !== undefined && { observedGeneration: metadata.generation }),
    lastTransitionTime: formatTime(now),
    reason: isCommon ? 'CommonEncodingVersionSet' : 'CommonEncodingVersionUnset',
    message: isCommon ? 'Common encoding version set' : 'Common encoding version unset',
  };
  const hasMoved = old !== undefined && common !== undefined && old !== common;
  return {
    storageVersions,
    ...(common !== undefined && { commonEncodingVersion: common }),
    conditions: withCondition(status.conditions ?? [], condition, hasMoved),
  };
}

function withCondition(
  conditions: readonly StorageVersionCondition[],
  condition: StorageVersionCondition,
  hasMoved: boolean,
): StorageVersionCondition[] {
  const index = conditions.findIndex(({ type }) => type === condition.type);
  const old = conditions[index];
  if (old === undefined) return [...conditions, condition];
  const keepsTime = old.status === condition.status && !hasMoved;
  return conditions.with(
    index,
    keepsTime ? { ...condition, lastTransitionTime: old.lastTransitionTime ?? null } : condition,
  );
}
