import type { ValidatingWebhookConfiguration } from '@apiserver/api/admissionregistration/v1';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, column, nameColumn } from '@apiserver/resource-kit';

/** Upstream: printValidatingWebhook of pkg/printers/internalversion/printers.go */
export const validatingWebhookConfigurationColumns: readonly Column<ValidatingWebhookConfiguration>[] = [
  nameColumn,
  column('Webhooks', 'Number of webhooks in this configuration', ({ webhooks }) => webhooks?.length ?? 0, {
    type: 'integer',
  }),
  ageColumn,
];
