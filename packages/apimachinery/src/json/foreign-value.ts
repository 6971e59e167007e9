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
