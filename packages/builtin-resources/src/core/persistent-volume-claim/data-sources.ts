import type { PersistentVolumeClaimSpec } from '@apiserver/api/core/v1';

/**
 * Gives both fields the same content where only one is set: clients of any age find what they know. A source in another
 * namespace has no place in the old field. Mutates.
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

/** Whether `normalizeDataSources` has something to do. */
export function lacksDataSource({ dataSource, dataSourceRef }: PersistentVolumeClaimSpec): boolean {
  if (dataSource !== undefined) return dataSourceRef === undefined;
  return dataSourceRef !== undefined && !dataSourceRef.namespace;
}

/**
 * Takes away sources that this server does not have: in another namespace (alpha), and in the old field all but claims
 * and snapshots, which were always ignored there. A claim that has a source keeps it. Mutates.
 * Upstream: DropDisabledFields and EnforceDataSourceBackwardsCompatibility of pkg/api/persistentvolumeclaim/util.go
 */
export function dropUnknownDataSources(spec: PersistentVolumeClaimSpec, old?: PersistentVolumeClaimSpec): void {
  if (spec.dataSourceRef?.namespace && old?.dataSourceRef === undefined) delete spec.dataSourceRef;
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
