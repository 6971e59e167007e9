import type { ServerStorageVersion, StorageVersion } from '@apiserver/api/apiserverinternal/v1alpha1';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, describedColumn, limitedList, nameColumn } from '@apiserver/resource-kit';

const MAX_SERVERS = 3;
const ofStatus = (field: string) => ['io.k8s.api.apiserverinternal.v1alpha1.StorageVersionStatus', field] as const;

/** Upstream: printStorageVersion of pkg/printers/internalversion/printers.go */
export const storageVersionColumns: readonly Column<StorageVersion>[] = [
  nameColumn,
  describedColumn(
    'CommonEncodingVersion',
    ofStatus('commonEncodingVersion'),
    ({ status }) => status.commonEncodingVersion ?? '<unset>',
  ),
  describedColumn('StorageVersions', ofStatus('storageVersions'), ({ status }) => serversText(status.storageVersions)),
  ageColumn,
];

function serversText(servers: readonly ServerStorageVersion[] = []): string {
  const texts = servers.map(({ apiServerID = '', encodingVersion = '' }) => `${apiServerID}=${encodingVersion}`);
  return limitedList(texts, MAX_SERVERS) ?? '<unset>';
}
