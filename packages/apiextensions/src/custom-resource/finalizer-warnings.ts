import type { KubeObject } from '@apiserver/apimachinery';
import { quote } from '@apiserver/apimachinery/text';
import { isQualifiedName } from '@apiserver/apimachinery/validation';

const STANDARD_FINALIZERS: ReadonlySet<string> = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);

/**
 * Warnings about finalizers that `old` does not have. Upstream: generateWarningsFromObj and validateKubeFinalizerName
 * of k8s.io/apiextensions-apiserver/pkg/registry/customresource
 */
export function finalizerWarnings(object: KubeObject, old: KubeObject | undefined): readonly string[] {
  const before = new Set(old?.metadata.finalizers ?? []);
  const added = (object.metadata.finalizers ?? []).filter((name) => !before.has(name));
  return [...new Set(added)].sort().flatMap((name) => {
    const faults = [...isQualifiedName(name)];
    const path = name.includes('.') ? ' including a path (/)' : '';
    const isKnown = name.includes('/') || STANDARD_FINALIZERS.has(name);
    if (!isKnown) faults.push(`prefer a domain-qualified finalizer name${path} ${NO_CONFLICTS}`);
    return faults.map((fault) => `metadata.finalizers: ${quote(name)}: ${fault}`);
  });
}

const NO_CONFLICTS = 'to avoid accidental conflicts with other finalizer writers';
