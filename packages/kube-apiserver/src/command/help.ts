import { formatFlagSections, type NamedFlagSets } from '@apiserver/generic-server';

const description = `The Kubernetes API server: keeps the objects of a cluster, checks and stores what clients
write, and tells them of every change. It needs nothing beside itself: objects, keys and
certificates are made and kept in --data-dir.

"kube-apiserver backup FILE" and "kube-apiserver restore FILE" keep and bring back the objects; each has a --help.`;

/** `--help`. Upstream: k8s.io/component-base/cli/flag.SetUsageAndHelpFunc */
export function formatHelp(sets: NamedFlagSets, columns: number): string {
  return `${description}\n\nUsage:\n  kube-apiserver [flags]\n${formatFlagSections(sets, columns)}`;
}
