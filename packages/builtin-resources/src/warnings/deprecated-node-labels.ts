/** The release and the replacement. Upstream: pkg/api/node/util.go */
const DEPRECATED_NODE_LABELS: Readonly<Record<string, readonly [since: string, instead: string]>> = {
  'beta.kubernetes.io/arch': ['v1.14', 'kubernetes.io/arch'],
  'beta.kubernetes.io/os': ['v1.14', 'kubernetes.io/os'],
  'failure-domain.beta.kubernetes.io/region': ['v1.17', 'topology.kubernetes.io/region'],
  'failure-domain.beta.kubernetes.io/zone': ['v1.17', 'topology.kubernetes.io/zone'],
  'beta.kubernetes.io/instance-type': ['v1.17', 'node.kubernetes.io/instance-type'],
};

/** The warning about a deprecated node label; undefined for other labels. */
export function deprecatedNodeLabelWarning(label: string): string | undefined {
  if (!Object.hasOwn(DEPRECATED_NODE_LABELS, label)) return undefined;
  const [since, instead] = DEPRECATED_NODE_LABELS[label] ?? ['', ''];
  return `deprecated since ${since}; use "${instead}" instead`;
}
