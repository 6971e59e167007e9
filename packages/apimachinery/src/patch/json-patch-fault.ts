/** The reason why a JSON patch does not apply, in upstream's words. */
export class JsonPatchFault extends Error {
  override readonly name = 'JsonPatchFault';
  /** True for a test that failed. */
  readonly isFailedTest: boolean;

  constructor(message: string, isFailedTest = false) {
    super(message);
    this.isFailedTest = isFailedTest;
  }
}
