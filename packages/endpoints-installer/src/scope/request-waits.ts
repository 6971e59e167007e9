import type { RequestContext, RequestWaits } from '@apiserver/apiserver-contracts';

const NONE: RequestWaits = { mutatingWebhooks: 0, validatingWebhooks: 0, seat: 0 };
const LAYERS = {
  mutatingWebhooks: 'mutating-webhook',
  validatingWebhooks: 'validating-webhook',
  seat: 'apf-queue-wait',
} as const;

/**
 * Adds a wait of a request, in milliseconds. Of validating webhooks only the slowest counts.
 * Upstream: LatencyTrackers of k8s.io/apiserver/pkg/endpoints/request/webhook_duration.go
 */
export function noteWait(
  context: Pick<RequestContext, 'waits' | 'audit'>,
  kind: keyof RequestWaits,
  milliseconds: number,
): void {
  const waits = context.waits ?? NONE;
  const added = kind === 'validatingWebhooks' ? Math.max(0, milliseconds - waits[kind]) : milliseconds;
  if (added === 0) return;
  context.waits = { ...waits, [kind]: waits[kind] + added };
  context.audit?.spend(LAYERS[kind], added);
}

/** All waits of a request, in milliseconds. */
export function totalWait({ waits = NONE }: Pick<RequestContext, 'waits'>): number {
  return waits.mutatingWebhooks + waits.validatingWebhooks + waits.seat;
}
