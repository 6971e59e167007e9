import { ForeignValue } from '../../json/foreign-value.js';
import { quote } from '../../text/quote.js';
import type { MergeList, MergeType } from '../field-set/merge-type.js';
import { type PathElement, printPathElement } from '../field-set/path-element.js';
import { unexpected } from './type-errors.js';
import { Validation } from './validate-value.js';
import { asMap } from './value-shape.js';

/** Validates a value that may have foreign values in it: none fits any type. Throws MergeTypeError. */
export function validateForeign(type: MergeType, value: unknown): void {
  const validation = new ForeignValidation(false);
  validation.check(type, value);
  validation.faults.throwIfAny();
}

class ForeignValidation extends Validation {
  override check(type: MergeType, value: unknown): void {
    if (value instanceof ForeignValue) this.fault(unexpected(shapeOf(type), value));
    else super.check(type, value);
  }

  protected override itemElement(list: MergeList, item: unknown, index: number): PathElement | undefined {
    if (item instanceof ForeignValue && list.keys.length > 0) return super.itemElement(list, MARK, index);
    const element = super.itemElement(list, markedItem(item), index);
    if (element === undefined) return undefined;
    const printed = printPathElement(element);
    const named = printed.replaceAll(quote(MARK), '{{undefined}}');
    // An element of no kind is printed as it is.
    return named === printed ? element : `?:${JSON.stringify(named.slice(1, -1))}`;
  }
}

/** Stands for a foreign value in an element. */
const MARK = '\0foreign';

/** The shape that a value of no shape should have. */
function shapeOf(type: MergeType): string {
  return type.map === undefined ? (type.scalar ?? 'list') : 'map';
}

function markedItem(item: unknown): unknown {
  if (item instanceof ForeignValue) return MARK;
  const members = asMap(item);
  if (members === undefined) return item;
  return Object.fromEntries(
    Object.entries(members).map(([name, member]) => [name, member instanceof ForeignValue ? MARK : member]),
  );
}
