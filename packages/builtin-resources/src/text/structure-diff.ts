import { unifiedDiff } from './unified-diff.js';

/**
 * The difference of two values in Go's form, as a unified diff of JSON with one space per level.
 * Upstream: Diff of k8s.io/apimachinery/pkg/util/diff/diff.go
 */
export function structureDiff(before: unknown, after: unknown): string {
  return unifiedDiff(prettyJson(before), prettyJson(after));
}

function prettyJson(value: unknown): string {
  return JSON.stringify(value, (_key, member) => (typeof member === 'bigint' ? String(member) : member), 1);
}
