/** A Go value without a form in JSON, among JSON that an expression has made. */
export class ForeignValue {
  /** As `%v` prints it. */
  readonly text: string;
  /** As `%#v` prints it. */
  readonly syntax: string;
  readonly goType: string;

  constructor(text: string, syntax: string, goType: string) {
    this.text = text;
    this.syntax = syntax;
    this.goType = goType;
  }
}

/** An empty list that an expression has made: Go holds it as a nil slice, and `%#v` prints it so. */
export class NilList extends Array<never> {
  static override get [Symbol.species](): ArrayConstructor {
    return Array;
  }
}
