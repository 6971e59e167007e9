import { quote } from '@apiserver/apimachinery/text';

/** The group of every bootstrap token. Upstream: BootstrapDefaultGroup of k8s.io/cluster-bootstrap/token/api */
const DEFAULT_GROUP = 'system:bootstrappers';
/** Upstream: BootstrapGroupPattern of k8s.io/cluster-bootstrap/token/api */
const GROUP = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;
const PATTERN = '\\Asystem:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]\\z';

/**
 * The groups of a token, sorted, out of the comma separated names in its secret; a text that says which name is wrong.
 * Upstream: GetGroups of k8s.io/cluster-bootstrap/util/secrets
 */
export function bootstrapGroups(extra: string): readonly string[] | string {
  if (extra === '') return [DEFAULT_GROUP];
  const names = extra.split(',');
  const wrong = names.find((name) => !GROUP.test(name));
  if (wrong !== undefined) return `bootstrap group ${quote(wrong)} is invalid (must match ${PATTERN})`;
  return [...new Set([DEFAULT_GROUP, ...names])].sort();
}
