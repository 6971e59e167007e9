import type { PriorityLevelConfiguration } from '@apiserver/api/flowcontrol/v1';
import { EXEMPT } from '../bootstrap/well-known.js';
import { dealerFault } from '../shuffle-sharding/dealer.js';

/**
 * The reason why a level cannot be used; undefined if it can. Validation refuses such objects, but another server may
 * have stored them.
 * Upstream: queueSetCompleterForPL of k8s.io/apiserver/pkg/util/flowcontrol/apf_controller.go
 */
export function levelFault({ metadata, spec }: PriorityLevelConfiguration): string | undefined {
  const { type, limited, exempt } = spec;
  if ((type === 'Limited') !== (limited !== undefined)) return 'broken union structure at the top, for Limited';
  if ((type === 'Exempt') !== (exempt !== undefined)) return 'broken union structure at the top, for Exempt';
  if ((type === 'Exempt') !== (metadata.name === EXEMPT)) return 'non-alignment between name and type';
  if (limited === undefined) return undefined;
  const { type: response, queuing } = limited.limitResponse;
  if ((response === 'Reject') !== (queuing === undefined)) return 'broken union structure for limit response';
  return queuing === undefined ? undefined : dealerFault(queuing.queues ?? 0, queuing.handSize ?? 0);
}
