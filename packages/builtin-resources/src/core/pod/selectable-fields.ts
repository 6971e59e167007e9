import type { Pod } from '@apiserver/api/core/v1';

/** The field selectors of pods. Upstream: ToSelectableFields of pkg/registry/core/pod/strategy.go */
export function podFields({ spec, status }: Pod): Readonly<Record<string, string>> {
  return {
    'spec.nodeName': spec.nodeName ?? '',
    'spec.restartPolicy': spec.restartPolicy ?? '',
    'spec.schedulerName': spec.schedulerName ?? '',
    'spec.serviceAccountName': spec.serviceAccountName ?? '',
    'spec.hostNetwork': String(spec.hostNetwork ?? false),
    'status.phase': status.phase ?? '',
    // Accepted as a selector but never set. Upstream: AddFieldLabelConversionsForPod has it, ToSelectableFields does
    // not.
    'status.podIPs': '',
    'status.podIP': status.podIPs?.[0]?.ip ?? status.podIP ?? '',
    'status.nominatedNodeName': status.nominatedNodeName ?? '',
  };
}

/** The former name of the node's field. Upstream: addFieldLabelConversionsForPod of pkg/apis/core/v1/conversion.go */
export const POD_FIELD_LABELS: Readonly<Record<string, string>> = { 'spec.host': 'spec.nodeName' };

/** The names of the field selectors. */
export const POD_FIELD_NAMES: readonly string[] = [
  'spec.host',
  'spec.nodeName',
  'spec.restartPolicy',
  'spec.schedulerName',
  'spec.serviceAccountName',
  'spec.hostNetwork',
  'status.phase',
  'status.podIP',
  'status.podIPs',
  'status.nominatedNodeName',
];
