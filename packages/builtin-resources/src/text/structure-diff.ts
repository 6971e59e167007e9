import { unifiedDiff } from './unified-diff.js';

/**
 * How one value in Go's form differs from another, as lines of a unified diff over JSON with one blank for each level.
 * Upstream: Diff of k8s.io/apimachinery/pkg/util/diff/diff.go
 */
export function structureDiff(before: unknown, after: unknown): string {
  return unifiedDiff(prettyJson(before), prettyJson(after));
}

function prettyJson(value: unknown): string {
  return JSON.stringify(value, (_key, member) => (typeof member === 'bigint' ? String(member) : member), 1);
}
