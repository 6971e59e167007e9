import type { ResourceClaimTemplate } from '@apiserver/api/resource/v1';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, nameColumn } from '@apiserver/resource-kit';

/** Upstream: printResourceClaimTemplate of pkg/printers/internalversion/printers.go */
export const resourceClaimTemplateColumns: readonly Column<ResourceClaimTemplate>[] = [nameColumn, ageColumn];
