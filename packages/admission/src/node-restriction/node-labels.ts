type Labels = Readonly<Record<string, string>>;

/** Labels in Kubernetes' own domains that kubelets set. Upstream: k8s.io/kubelet/pkg/apis/well_known_labels.go */
const KUBELET_LABELS: ReadonlySet<string> = new Set([
  'kubernetes.io/hostname',
  'kubernetes.io/os',
  'kubernetes.io/arch',
  'beta.kubernetes.io/os',
  'beta.kubernetes.io/arch',
  'beta.kubernetes.io/instance-type',
  'node.kubernetes.io/instance-type',
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
]);
const KUBELET_DOMAINS = ['kubelet.kubernetes.io', 'node.kubernetes.io'];
const KUBERNETES_DOMAINS = ['kubernetes.io', 'k8s.io'];
const RESTRICTED_DOMAINS = ['node-restriction.kubernetes.io'];

/**
 * The labels that a node must not change on its own Node object, sorted.
 * Upstream: getForbiddenLabels of plugin/pkg/admission/noderestriction/admission.go
 */
export function forbiddenLabelChanges(labels: Labels = {}, before: Labels = {}): string[] {
  const changed = Object.keys({ ...before, ...labels }).filter((key) => labels[key] !== before[key]);
  return changed.filter(isForbidden).sort();
}

function isForbidden(key: string): boolean {
  const slash = key.indexOf('/');
  const domain = slash < 0 ? '' : key.slice(0, slash);
  if (isIn(domain, RESTRICTED_DOMAINS)) return true;
  return isIn(domain, KUBERNETES_DOMAINS) && !KUBELET_LABELS.has(key) && !isIn(domain, KUBELET_DOMAINS);
}

function isIn(domain: string, parents: readonly string[]): boolean {
  return parents.some((parent) => domain === parent || domain.endsWith(`.${parent}`));
}
