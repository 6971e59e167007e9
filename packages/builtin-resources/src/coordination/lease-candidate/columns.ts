import type { LeaseCandidate } from '@apiserver/api/coordination/v1beta1';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, describedColumn, nameColumn } from '@apiserver/resource-kit';

const SPEC = 'io.k8s.api.coordination.v1beta1.LeaseCandidateSpec';

/** Upstream: printLeaseCandidate of pkg/printers/internalversion/printers.go */
export const leaseCandidateColumns: readonly Column<LeaseCandidate>[] = [
  nameColumn,
  describedColumn('LeaseName', [SPEC, 'leaseName'], ({ spec }) => spec?.leaseName ?? ''),
  describedColumn('BinaryVersion', [SPEC, 'binaryVersion'], ({ spec }) => spec?.binaryVersion ?? ''),
  describedColumn('EmulationVersion', [SPEC, 'emulationVersion'], ({ spec }) => spec?.emulationVersion ?? ''),
  ageColumn,
];
