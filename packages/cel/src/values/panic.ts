/**
 * Ends an evaluation where upstream's panics, with the text of the panic. No operator absorbs it. It is no Error:
 * nobody reads its stack.
 */
export class Panic {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}
