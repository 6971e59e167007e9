import { formatFlagSections, type NamedFlagSets } from '@apiserver/component-base/flags';

/** In at most 80 columns, as upstream's, because nothing wraps it. */
const description = `The Kubernetes API server validates and stores the objects of a cluster, and
notifies clients of changes. It has no dependencies: it creates keys and
certificates, and keeps them with the objects in --data-dir.

"kube-apiserver backup FILE" and "kube-apiserver restore FILE" save and restore
the objects; "kube-apiserver check" reports damaged ones. Each has a --help.`;

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
