import type { MutatingWebhookConfiguration } from '@apiserver/api/admissionregistration/v1';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, column, nameColumn } from '@apiserver/resource-kit';

/** Upstream: printMutatingWebhook of pkg/printers/internalversion/printers.go */
export const mutatingWebhookConfigurationColumns: readonly Column<MutatingWebhookConfiguration>[] = [
  nameColumn,
  column('Webhooks', 'Number of webhooks in this configuration', ({ webhooks }) => webhooks?.length ?? 0, {
    type: 'integer',
  }),
  ageColumn,
];
