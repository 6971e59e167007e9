import type { NamespaceCondition } from '@apiserver/api/core/v1';

/** The result of an attempt to delete a namespace's content. Counts are of objects. */
export interface ContentReport {
  /** Group versions whose resources are unknown. */
  readonly unknown: readonly string[];
  /** The failure of discovery as a whole. */
  readonly discoveryError?: string;
  /** Messages of resources whose content could not be deleted. */
  readonly errors: readonly string[];
  /** Objects that remain, by `resource.group`. */
  readonly remaining: ReadonlyMap<string, number>;
  /** Objects that remain, by finalizer. */
  readonly finalizers: ReadonlyMap<string, number>;
}

type Finding = Pick<NamespaceCondition, 'type' | 'status' | 'reason' | 'message'>;

/**
 * The conditions of a namespace after an attempt to delete its content, in upstream's order. Returns `current` itself
 * if nothing changed. `now` is a formatted time.
 * Upstream: pkg/controller/namespace/deletion/status_condition_utils.go
 */
export function deletionConditions(
  current: readonly NamespaceCondition[],
  report: ContentReport,
  now: string,
): readonly NamespaceCondition[] {
  const findings = findingsOf(report);
  const types = new Set(findings.map(({ type }) => type));
  const known = new Map(current.map((condition) => [condition.type, condition]));
  const updated = findings.map((finding) => {
    const old = known.get(finding.type);
    if (old === undefined || old.status !== finding.status) return { ...finding, lastTransitionTime: now };
    if (old.reason === finding.reason && old.message === finding.message) return old;
    return { ...old, ...finding };
  });
  const others = current.filter(({ type }) => !types.has(type));
  const isSame = updated.every((condition) => known.get(condition.type) === condition);
  return isSame ? current : [...others, ...updated];
}

function findingsOf(report: ContentReport): readonly Finding[] {
  const { errors, remaining, finalizers } = report;
  return [
    discoveryFinding(report),
    finding(
      'NamespaceDeletionGroupVersionParsingFailure',
      'ParsedGroupVersions',
      'All legacy kube types successfully parsed',
    ),
    errors.length === 0
      ? finding(
          'NamespaceDeletionContentFailure',
          'ContentDeleted',
          'All content successfully deleted, may be waiting on finalization',
        )
      : failure(
          'NamespaceDeletionContentFailure',
          'ContentDeletionFailed',
          `Failed to delete all resource types, ${errors.length} remaining: ${[...errors].sort().join(', ')}`,
        ),
    remaining.size === 0
      ? finding('NamespaceContentRemaining', 'ContentRemoved', 'All content successfully removed')
      : failure(
          'NamespaceContentRemaining',
          'SomeResourcesRemain',
          `Some resources are remaining: ${counted(remaining, (name, count) => `${name} has ${count} resource instances`)}`,
        ),
    finalizers.size === 0
      ? finding('NamespaceFinalizersRemaining', 'ContentRemoved', 'All content successfully removed')
      : failure(
          'NamespaceFinalizersRemaining',
          'SomeFinalizerRemain',
          `Some finalizers are remaining: ${counted(finalizers, (name, count) => `${name} in ${count} resource instances`)}`,
        ),
  ];
}

function discoveryFinding({ unknown, discoveryError }: ContentReport): Finding {
  const type = 'NamespaceDeletionDiscoveryFailure';
  if (discoveryError !== undefined) return failure(type, 'DiscoveryFailed', discoveryError);
  if (unknown.length === 0) return finding(type, 'ResourcesDiscovered', 'All resources successfully discovered');
  const message = `Discovery failed for some groups, ${unknown.length} failing: ${discoveryFailure(unknown)}`;
  return failure(type, 'DiscoveryFailed', message);
}

/** Upstream: ErrGroupDiscoveryFailed and StaleGroupVersionError of k8s.io/client-go/discovery */
export function discoveryFailure(unknown: readonly string[]): string {
  const groups = [...unknown].sort().map((name) => `${name}: stale GroupVersion discovery: ${name}`);
  return `unable to retrieve the complete list of server APIs: ${groups.join(', ')}`;
}

function counted(counts: ReadonlyMap<string, number>, text: (name: string, count: number) => string): string {
  return Array.from(counts, ([name, count]) => text(name, count))
    .sort()
    .join(', ');
}

function finding(type: string, reason: string, message: string): Finding {
  return { type, status: 'False', reason, message };
}

function failure(type: string, reason: string, message: string): Finding {
  return { type, status: 'True', reason, message };
}
