import { isUnchanged, type OldValue, oldElements, oldMember } from '@apiserver/apimachinery/codec/structural';

/**
 * A value with the old value that corresponds to it. Comparisons and look-ups are kept: each failing rule asks again.
 *
 * Upstream: CorrelatedObject of k8s.io/apiserver/pkg/cel/common/equality.go
 */
export class Correlation {
  readonly old: OldValue;
  readonly #value: unknown;
  #isUnchanged: boolean | undefined;
  #elements: ReturnType<typeof oldElements> | undefined;

  constructor(value: unknown, old: OldValue) {
    this.#value = value;
    this.old = old;
  }

  get isUnchanged(): boolean {
    this.#isUnchanged ??= isUnchanged(this.#value, this.old);
    return this.#isUnchanged;
  }

  /** A member of an object or a map; undefined if it is new. */
  member(name: string, value: unknown): Correlation | undefined {
    const old = oldMember(this.old, name);
    return old && new Correlation(value, old);
  }

  /** An element of a list; undefined if the list has no keys, or the element is new. */
  element(value: unknown): Correlation | undefined {
    this.#elements ??= oldElements(this.old) ?? noElement;
    const old = this.#elements(value);
    return old && new Correlation(value, old);
  }
}

function noElement(): undefined {
  return undefined;
}
