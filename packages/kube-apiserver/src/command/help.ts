import { formatFlagSections, type NamedFlagSets } from '@apiserver/component-base/flags';

const description = `The Kubernetes API server: keeps the objects of a cluster, checks and stores what clients
write, and tells them of every change. It needs nothing beside itself: objects, keys and
certificates are made and kept in --data-dir.

"kube-apiserver backup FILE" and "kube-apiserver restore FILE" keep and bring back the objects, "kube-apiserver check"
tells what of them is damaged; each has a --help.`;

/**
 * `--help`. The features come last, because they take more lines than all flags together. Upstream lists them in the
 * middle.
 * Upstream: k8s.io/component-base/cli/flag.SetUsageAndHelpFunc
 */
export function formatHelp(sets: NamedFlagSets, features: readonly string[], columns: number): string {
  const flags = formatFlagSections(sets, columns);
  const gates = features.map((line) => `  ${line}\n`).join('');
  return `${description}\n\nUsage:\n  kube-apiserver [flags]\n${flags}\nFeatures of --feature-gates:\n\n${gates}`;
}
