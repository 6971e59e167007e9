import type { PersistentVolumeClaimSpec } from '@apiserver/api/core/v1';

/**
 * Sets the missing one of both fields to the other's content, so that old and new clients find it. A source in
 * another namespace cannot be in the old field. Mutates.
 * Upstream: NormalizeDataSources of pkg/api/persistentvolumeclaim/util.go
 */
export function normalizeDataSources(spec: PersistentVolumeClaimSpec): void {
  const { dataSource, dataSourceRef } = spec;
  if (dataSource !== undefined && dataSourceRef === undefined) {
    spec.dataSourceRef = { ...dataSource };
  } else if (dataSourceRef !== undefined && dataSource === undefined && !dataSourceRef.namespace) {
    const { apiGroup, kind, name } = dataSourceRef;
    spec.dataSource = { apiGroup: apiGroup ?? null, kind, name };
  }
}

/** Reports whether `normalizeDataSources` would change the spec. */
export function lacksDataSource({ dataSource, dataSourceRef }: PersistentVolumeClaimSpec): boolean {
  if (dataSource !== undefined) return dataSourceRef === undefined;
  return dataSourceRef !== undefined && !dataSourceRef.namespace;
}

/**
 * Drops unsupported sources: without the feature, those in another namespace and, in the old field, all except claims
 * and snapshots. A stored source stays. Mutates.
 * Upstream: DropDisabledFields and EnforceDataSourceBackwardsCompatibility of pkg/api/persistentvolumeclaim/util.go
 */
export function dropUnknownDataSources(
  crossesNamespaces: boolean,
  spec: PersistentVolumeClaimSpec,
  old?: PersistentVolumeClaimSpec,
): void {
  if (!crossesNamespaces && spec.dataSourceRef?.namespace && old?.dataSourceRef === undefined) {
    delete spec.dataSourceRef;
  }
  if (old?.dataSource !== undefined || old?.dataSourceRef !== undefined || spec.dataSourceRef !== undefined) return;
  if (!isClaimOrSnapshot(spec)) delete spec.dataSource;
}

function isClaimOrSnapshot({ dataSource }: PersistentVolumeClaimSpec): boolean {
  const { apiGroup = '', kind } = dataSource ?? {};
  return (
    (kind === 'PersistentVolumeClaim' && !apiGroup) ||
    (kind === 'VolumeSnapshot' && apiGroup === 'snapshot.storage.k8s.io')
  );
}
