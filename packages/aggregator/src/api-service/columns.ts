import type { APIService } from '@apiserver/api/apiregistration/v1';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, nameColumn } from '@apiserver/resource-kit';
import { findCondition } from './conditions.js';

/** Upstream: ConvertToTable of k8s.io/kube-aggregator/pkg/registry/apiservice/etcd/etcd.go */
export const apiServiceColumns: readonly Column<APIService>[] = [
  nameColumn,
  {
    name: 'Service',
    type: 'string',
    format: '',
    description: 'The reference to the service that hosts this API endpoint.',
    priority: 0,
    cell: ({ spec: { service } }) =>
      service === undefined ? 'Local' : `${service.namespace ?? ''}/${service.name ?? ''}`,
  },
  {
    name: 'Available',
    type: 'string',
    format: '',
    description: 'Whether this service is available.',
    priority: 0,
    cell: availability,
  },
  ageColumn,
];

function availability(apiService: APIService): string {
  const condition = findCondition(apiService, 'Available');
  if (condition === undefined) return 'Unknown';
  const { status, reason } = condition;
  return status === 'True' || !reason ? status : `${status} (${reason})`;
}
