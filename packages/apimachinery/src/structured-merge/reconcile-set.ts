import { entryOf, type FieldEntry, FieldSet, LEAF } from './field-set.js';
import { DEDUCED, type MergeType } from './merge-type.js';
import { fieldNameOf, type PathElement } from './path-element.js';
import { toFieldSet } from './to-field-set.js';
import { MergeTypeError } from './type-errors.js';

// Sets that are as the type wants them, whatever the value. Steady writers have their sets looked at once.
const settled = new WeakMap<FieldSet, MergeType>();

/**
 * A manager's set after the type has changed since the set was written: what became atomic is owned as a whole, what
 * became granular is owned with all that it contains. Answers the very set when there is nothing to change. Throws
 * MergeTypeError for fields that are not declared any more.
 *
 * Upstream: ReconcileFieldSetWithSchema in sigs.k8s.io/structured-merge-diff/v6/typed/reconcile_schema.go
 */
export function reconcileSet(set: FieldSet, type: MergeType, value: unknown): FieldSet {
  if (type === DEDUCED || settled.get(set) === type) return set;
  const reconciliation = new Reconciliation(type, value);
  const reconciled = reconciliation.children(set, type);
  if (!reconciliation.askedValue) settled.set(reconciled, type);
  return reconciled;
}

class Reconciliation {
  /** Whether the result depends on the value. */
  askedValue = false;
  readonly #type: MergeType;
  readonly #value: unknown;
  #valueSet: FieldSet | undefined;
  readonly #path: PathElement[] = [];

  constructor(type: MergeType, value: unknown) {
    this.#type = type;
    this.#value = value;
  }

  children(set: FieldSet, type: MergeType): FieldSet {
    let changed: Map<PathElement, FieldEntry> | undefined;
    for (const [element, entry] of set.entries) {
      this.#path.push(element);
      const reconciled = this.#entry(entry, this.#typeBelow(type, element));
      this.#path.pop();
      if (reconciled === entry) continue;
      changed ??= new Map(set.entries);
      changed.set(element, reconciled);
    }
    return changed === undefined ? set : new FieldSet(changed);
  }

  #typeBelow(type: MergeType, element: PathElement): MergeType {
    const { map } = type;
    if (map === undefined) {
      if (type.list !== undefined) return type.list.element;
      throw this.#undeclared();
    }
    const name = fieldNameOf(element);
    const below = (name === undefined ? undefined : map.fields.get(name)?.type) ?? map.element;
    if (below === undefined) throw this.#undeclared();
    return below;
  }

  #undeclared(): MergeTypeError {
    return new MergeTypeError([{ path: [...this.#path], message: 'field not declared in schema' }]);
  }

  #entry(entry: FieldEntry, type: MergeType): FieldEntry {
    if (type.map === undefined && type.scalar !== undefined) return entry;
    const atomic = type.map?.atomic ?? type.list?.atomic ?? true;
    if (entry.children === undefined) return atomic ? entry : this.#granular();
    if (atomic) return LEAF;
    const children = this.children(entry.children, type);
    return children === entry.children ? entry : { member: entry.member, children };
  }

  /** A member that stood for a whole value and now stands for what is in it. */
  #granular(): FieldEntry {
    this.askedValue = true;
    this.#valueSet ??= toFieldSet(this.#type, this.#value);
    let below: FieldSet | undefined = this.#valueSet;
    for (const element of this.#path) below = below?.below(element);
    return below === undefined ? LEAF : (entryOf(true, below) as FieldEntry);
  }
}
