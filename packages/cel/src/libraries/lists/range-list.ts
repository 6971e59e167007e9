import { ListValue, type Value } from '../../values/value.js';

/** The integers from 0 on. */
export class RangeList extends ListValue {
  readonly size: number;

  /** A negative size makes an empty list. */
  constructor(size: number) {
    super();
    this.size = Math.max(0, size);
  }

  at(index: number): Value {
    return index;
  }
}
