import type { PersistentVolumeClaimSpec } from '@apiserver/api/core/v1';

/**
 * A claim's spec as upstream prints it in a difference: the fields of its internal type, all of them, in their order,
 * over several lines with one blank for each level.
 */
export function printedClaimSpec(spec: PersistentVolumeClaimSpec): string {
  const { dataSource, dataSourceRef } = spec;
  const printed = {
    AccessModes: spec.accessModes ?? null,
    Selector: spec.selector ?? null,
    Resources: {
      Limits: sortedByKey(spec.resources?.limits),
      Requests: sortedByKey(spec.resources?.requests),
    },
    VolumeName: spec.volumeName ?? '',
    StorageClassName: spec.storageClassName ?? null,
    VolumeMode: spec.volumeMode ?? null,
    DataSource:
      dataSource === undefined
        ? null
        : { APIGroup: dataSource.apiGroup ?? null, Kind: dataSource.kind, Name: dataSource.name },
    DataSourceRef:
      dataSourceRef === undefined
        ? null
        : {
            APIGroup: dataSourceRef.apiGroup ?? null,
            Kind: dataSourceRef.kind,
            Name: dataSourceRef.name,
            Namespace: dataSourceRef.namespace ?? null,
          },
    VolumeAttributesClassName: spec.volumeAttributesClassName ?? null,
  };
  return JSON.stringify(printed, null, 1);
}

function sortedByKey(list: Readonly<Record<string, string>> | undefined): object | null {
  return list === undefined ? null : Object.fromEntries(Object.entries(list).sort(([a], [b]) => (a < b ? -1 : 1)));
}
