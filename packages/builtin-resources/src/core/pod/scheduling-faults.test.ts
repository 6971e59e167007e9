import { expect, it } from 'vitest';
import { podFaults } from '../../testing/pod-faults.js';

const LABEL =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const NAME_PART =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const TERM = 'spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0]';

it.each<[string, object, readonly string[]]>([
  [
    'odd DNS',
    {
      dnsPolicy: 'Odd',
      dnsConfig: { nameservers: ['a', '1.1.1.1', '1.1.1.2', '1.1.1.3'], searches: ['A'], options: [{ name: '' }] },
    },
    [
      'spec.dnsPolicy: Unsupported value: "Odd": supported values: "ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"',
      'spec.dnsConfig.nameservers: Invalid value: ["a","1.1.1.1","1.1.1.2","1.1.1.3"]: must not have more than 3 nameservers',
      'spec.dnsConfig.nameservers[0]: Invalid value: "a": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
      `spec.dnsConfig.searches[0]: Invalid value: "A": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*')`,
      'spec.dnsConfig.options[0]: Required value: must not be empty',
    ],
  ],
  [
    'no DNS of its own',
    { dnsPolicy: 'None' },
    ['spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None'],
  ],
  [
    'odd host aliases',
    { hostAliases: [{ ip: 'a', hostnames: ['A'] }] },
    [
      'spec.hostAliases[0].ip: Invalid value: "a": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
      `spec.hostAliases[0].hostnames[0]: Invalid value: "A": ${SUBDOMAIN}`,
    ],
  ],
  [
    'an odd hostname and subdomain',
    { hostname: 'A', subdomain: 'B', setHostnameAsFQDN: true },
    [`spec.hostname: Invalid value: "A": ${LABEL}`, `spec.subdomain: Invalid value: "B": ${LABEL}`],
  ],
  [
    'odd tolerations',
    {
      tolerations: [
        { operator: 'Equal' },
        { key: 'a b', operator: 'Exists', value: 'v' },
        { key: 'k', operator: 'Odd' },
        { key: 'k', operator: 'Exists', effect: 'Odd' },
        { key: 'k', operator: 'Exists', effect: 'NoSchedule', tolerationSeconds: 1 },
        { key: 'k', operator: 'Equal', value: 'a b' },
      ],
    },
    [
      'spec.tolerations[0].operator: Invalid value: "Equal": operator must be Exists when `key` is empty, which means "match all values and all keys"',
      `spec.tolerations[1].key: Invalid value: "a b": ${NAME_PART}`,
      `spec.tolerations[1].operator: Invalid value: "v": value must be empty when \`operator\` is 'Exists'`,
      'spec.tolerations[2].operator: Unsupported value: "Odd": supported values: "Equal", "Exists"',
      'spec.tolerations[3].effect: Unsupported value: "Odd": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
      `spec.tolerations[4].effect: Invalid value: "NoSchedule": effect must be 'NoExecute' when \`tolerationSeconds\` is set`,
      `spec.tolerations[5].operator: Invalid value: "a b": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    ],
  ],
  [
    'spread constraints of odd members',
    {
      topologySpreadConstraints: [
        { maxSkew: 0, topologyKey: '', whenUnsatisfiable: '' },
        {
          maxSkew: 1,
          topologyKey: 'k',
          whenUnsatisfiable: 'Odd',
          minDomains: 1,
          nodeAffinityPolicy: 'Odd',
          nodeTaintsPolicy: 'Odd',
          matchLabelKeys: ['a'],
        },
        { maxSkew: 1, topologyKey: 'k', whenUnsatisfiable: 'ScheduleAnyway', minDomains: 1, labelSelector: {} },
        {
          maxSkew: 1,
          topologyKey: 'k',
          whenUnsatisfiable: 'ScheduleAnyway',
          minDomains: 0,
          labelSelector: { matchLabels: { a: 'b' } },
          matchLabelKeys: ['a', 'x'],
        },
      ],
    },
    [
      'spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero',
      'spec.topologySpreadConstraints[0].topologyKey: Required value: can not be empty',
      'spec.topologySpreadConstraints[0].whenUnsatisfiable: Unsupported value: "": supported values: "DoNotSchedule", "ScheduleAnyway"',
      'spec.topologySpreadConstraints[1].whenUnsatisfiable: Unsupported value: "Odd": supported values: "DoNotSchedule", "ScheduleAnyway"',
      'spec.topologySpreadConstraints[1].minDomains: Invalid value: 1: can only use minDomains if whenUnsatisfiable=DoNotSchedule, not Odd',
      'spec.topologySpreadConstraints[1].nodeAffinityPolicy: Unsupported value: "Odd": supported values: "Honor", "Ignore"',
      'spec.topologySpreadConstraints[1].nodeTaintsPolicy: Unsupported value: "Odd": supported values: "Honor", "Ignore"',
      'spec.topologySpreadConstraints[1].matchLabelKeys: Forbidden: must not be specified when labelSelector is not set',
      'spec.topologySpreadConstraints[2].{topologyKey, whenUnsatisfiable}: Duplicate value: "{k, ScheduleAnyway}"',
      'spec.topologySpreadConstraints[2].minDomains: Invalid value: 1: can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway',
      'spec.topologySpreadConstraints[3].minDomains: Invalid value: 0: must be greater than zero',
      'spec.topologySpreadConstraints[3].minDomains: Invalid value: 0: can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway',
    ],
  ],
  [
    'affinity without a topology key',
    {
      affinity: {
        podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: '', labelSelector: {} }] },
      },
    },
    [
      `${TERM}.topologyKey: Required value: can not be empty`,
      `${TERM}.topologyKey: Invalid value: "": name part must be non-empty`,
      `${TERM}.topologyKey: Invalid value: "": ${NAME_PART}`,
    ],
  ],
  [
    'affinity of odd namespaces and selectors',
    {
      affinity: {
        podAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            {
              topologyKey: 'k',
              namespaces: ['A'],
              labelSelector: { matchExpressions: [{ key: 'k', operator: 'In' }] },
              namespaceSelector: { matchLabels: { 'a b': 'c' } },
            },
          ],
        },
      },
    },
    [
      `${TERM}.labelSelector.matchExpressions[0].values: Required value: must be specified when \`operator\` is 'In' or 'NotIn'`,
      `${TERM}.namespaceSelector.matchLabels: Invalid value: "a b": ${NAME_PART}`,
      `${TERM}.namespace: Invalid value: "A": ${LABEL}`,
    ],
  ],
  [
    'affinity of label keys without a selector',
    {
      affinity: {
        podAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { topologyKey: 'k', matchLabelKeys: ['a'], mismatchLabelKeys: ['b'] },
          ],
        },
      },
    },
    [
      `${TERM}.matchLabelKeys: Forbidden: must not be specified when labelSelector is not set`,
      `${TERM}.mismatchLabelKeys: Forbidden: must not be specified when labelSelector is not set`,
    ],
  ],
  [
    'affinity of a label key twice',
    {
      affinity: {
        podAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            {
              topologyKey: 'k',
              labelSelector: { matchLabels: { x: 'y' } },
              matchLabelKeys: ['a', 'a b'],
              mismatchLabelKeys: ['a'],
            },
          ],
        },
      },
    },
    [
      `${TERM}.matchLabelKeys[1]: Invalid value: "a b": ${NAME_PART}`,
      `${TERM}.matchLabelKeys[0]: Invalid value: "a": exists in both matchLabelKeys and mismatchLabelKeys`,
    ],
  ],
  [
    'preferences of odd weights',
    {
      affinity: {
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 0, podAffinityTerm: { topologyKey: 'k' } },
            { weight: 101, podAffinityTerm: { topologyKey: 'k' } },
          ],
        },
        nodeAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 0, preference: {} },
            { weight: 100, preference: { matchExpressions: [{ key: 'k', operator: 'Gt', values: ['a', 'b'] }] } },
          ],
        },
      },
    },
    [
      'spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 0: must be in the range 1-100',
      "spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[1].preference.matchExpressions[0].values: Required value: must be specified single value when `operator` is 'Lt' or 'Gt'",
      'spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 0: must be in the range 1-100',
      'spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[1].weight: Invalid value: 101: must be in the range 1-100',
    ],
  ],
  [
    'node affinity of no terms',
    { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } } } },
    [
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms: Required value: must have at least one node selector term',
    ],
  ],
  [
    'an odd grace period, deadline and priority',
    {
      terminationGracePeriodSeconds: -1,
      activeDeadlineSeconds: 0,
      priorityClassName: 'A',
      preemptionPolicy: 'Odd',
      schedulerName: '',
    },
    [
      'spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive',
      `spec.priorityClassName: Invalid value: "A": ${SUBDOMAIN}`,
      'spec.preemptionPolicy: Unsupported value: "Odd": supported values: "PreemptLowerPriority", "Never"',
    ],
  ],
  [
    'gates of odd names, and a node',
    { nodeName: 'n', schedulingGates: [{ name: '' }, { name: 'a/b/c' }, { name: 'a.io/a' }, { name: 'a.io/a' }] },
    [
      'spec.schedulingGates[0]: Invalid value: "": name part must be non-empty',
      `spec.schedulingGates[0]: Invalid value: "": ${NAME_PART}`,
      `spec.schedulingGates[1]: Invalid value: "a/b/c": a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
      'spec.schedulingGates[3]: Duplicate value: "a.io/a"',
      'spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared',
    ],
  ],
  [
    'odd readiness gates and pull secrets',
    {
      readinessGates: [{ conditionType: 'a b' }],
      imagePullSecrets: [{ name: '' }],
      serviceAccountName: 'A',
      nodeName: 'A_',
      runtimeClassName: 'A',
    },
    [
      `spec.readinessGates[0].conditionType: Invalid value: "a b": ${NAME_PART}`,
      `spec.serviceAccountName: Invalid value: "A": ${SUBDOMAIN}`,
      `spec.nodeName: Invalid value: "A_": ${SUBDOMAIN}`,
      `spec.runtimeClassName: Invalid value: "A": ${SUBDOMAIN}`,
    ],
  ],
])('a pod with %s', (_what, spec, faults) => {
  expect(podFaults(spec)).toEqual(faults);
});
