import { isMembers } from '../../json/is-members.js';

/** Names below a field that upstream reads. It ignores all others. */
const FIELD = /^[fkvi]:/;

/**
 * The values of one field of a manager that the text repeats. Upstream keeps what stands below the last one with fields.
 * The field itself is one of the manager's if any of them says so.
 *
 * Upstream: readIterV1 in sigs.k8s.io/structured-merge-diff/v6/fieldpath/serialize.go
 */
export class RepeatedFields {
  #latest: unknown;
  #withFields: object | undefined;
  #isOwn = false;
  /** A value that upstream refuses. */
  #wrong: unknown;

  constructor(first: unknown) {
    this.add(first);
  }

  /** Looks at each value once: a text may repeat a field very often. */
  add(value: unknown): void {
    this.#latest = value;
    if (value !== null && !isMembers(value)) {
      this.#wrong ??= value;
      return;
    }
    const names = Object.keys(value ?? {});
    const hasFields = names.some((name) => FIELD.test(name));
    if (hasFields) this.#withFields = value ?? undefined;
    this.#isOwn ||= !hasFields || names.includes('.');
  }

  merged(): unknown {
    if (this.#wrong !== undefined) return this.#wrong;
    if (this.#withFields === undefined) return this.#latest;
    return this.#isOwn ? { '.': {}, ...this.#withFields } : this.#withFields;
  }
}
