import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CustomResourceDefinition } from '@apiserver/api/apiextensions/v1';

/** The response of 1.36: reason, message and causes of a refusal, or the object. */
export interface UpstreamResponse {
  readonly code: number;
  readonly reason?: string;
  /** Not recorded if there are several causes: they are in the random order of a Go map. */
  readonly message?: string;
  readonly causes?: readonly unknown[];
  readonly body?: unknown;
  readonly warnings?: readonly string[];
}

export interface UpstreamStep {
  readonly method: string;
  readonly path: string;
  /** Content type of the body; default JSON. */
  readonly type?: string;
  readonly accept?: string;
  /** The step whose response has the body's resourceVersion. */
  readonly versionOf?: string;
  readonly body?: string;
  /** True if the step before changed the definition, which takes a moment to apply. */
  readonly changesDefinition?: boolean;
  readonly expect: UpstreamResponse;
}

/**
 * A definition with requests to its resource and the responses of a server of k8s.io/apiextensions-apiserver v0.36.6.
 */
export interface UpstreamConversation {
  readonly name: string;
  readonly definition: CustomResourceDefinition;
  readonly expect: UpstreamResponse;
  readonly steps: readonly UpstreamStep[];
}

/** Reads a file of recorded conversations. */
export function readConversations(file: string): readonly UpstreamConversation[] {
  const { cases } = JSON.parse(readFileSync(join(import.meta.dirname, 'conversations', file), 'utf8'));
  return cases;
}

const VARYING: ReadonlySet<string> = new Set(['uid', 'resourceVersion', 'creationTimestamp', 'time', 'selfLink']);

/** A response without parts that differ between runs. */
export function comparable(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => comparable(item));
    return key === 'causes' ? items.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) : items;
  }
  if (typeof value === 'string') return withoutMoment(value);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([name]) => !VARYING.has(name));
  return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)).map(([k, v]) => [k, comparable(v, k)]));
}

function withoutMoment(text: string): string {
  return text
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UID')
    .replace(/resourceVersion(\\*)":(\\*)"\d+/g, 'resourceVersion:RV')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, 'TIME');
}
