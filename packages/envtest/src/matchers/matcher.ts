/** The result of a matcher, as vitest and jest take it. */
export interface MatcherResult {
  readonly pass: boolean;
  /** Also called for a negated matcher that fails. */
  readonly message: () => string;
}

/** The members of a value that may be an object. */
export function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return Object(value);
}

/** The value if it is a list, else an empty list. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** `Widget default/first` */
export function nameOf(object: unknown): string {
  const { kind, metadata } = membersOf(object);
  const { name, namespace } = membersOf(metadata);
  const parts = [namespace, name].filter((part) => part !== undefined && part !== '');
  return `${kind ?? 'object'} ${parts.join('/')}`.trim();
}

/** A value as JSON, on one line and not too long. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

/** Lines below a heading; `none` without any. */
export function listed(heading: string, lines: readonly string[]): string {
  if (lines.length === 0) return `${heading}: none`;
  return [`${heading}:`, ...lines.map((line) => `  ${line}`)].join('\n');
}
