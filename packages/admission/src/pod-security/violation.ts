import { Buffer } from 'node:buffer';

/** A check that a pod does not pass. */
export interface PodSecurityViolation {
  /** The forbidden setting, without values: "host namespaces". */
  readonly reason: string;
  /** The values, or the missing settings: "hostNetwork=true". */
  readonly detail: string;
}

/** The reasons of all violations as one text. Upstream: AggregateCheckResult.ForbiddenReason */
export function formatReasons(violations: readonly PodSecurityViolation[]): string {
  return violations.map(({ reason }) => reason).join(', ');
}

/** The reasons with their details, where they have some, as one text. Upstream: AggregateCheckResult.ForbiddenDetail */
export function formatViolations(violations: readonly PodSecurityViolation[]): string {
  return violations.map(({ reason, detail }) => (detail === '' ? reason : `${reason} (${detail})`)).join(', ');
}

/** The texts in double quotes, as they are: `"a", "b"`. */
export function quoted(texts: readonly string[]): string {
  return texts.length === 0 ? '' : `"${texts.join('", "')}"`;
}

/** The noun in singular or plural. */
export function plural(noun: string, count: number): string {
  return count === 1 ? noun : `${noun}s`;
}

/** `container "a"`, `containers "a", "b"` */
export function named(noun: string, names: readonly string[]): string {
  return `${plural(noun, names.length)} ${quoted(names)}`;
}

/** Unique texts in the order of their bytes, as upstream's sets list them. */
export function sorted(texts: Iterable<string>): readonly string[] {
  const unique = [...new Set(texts)];
  // The order of code units is that of bytes unless there are surrogates, and a comparison of buffers costs far more.
  if (!unique.some((text) => SURROGATE.test(text))) return unique.sort();
  return unique.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

const SURROGATE = /[\ud800-\udfff]/;
