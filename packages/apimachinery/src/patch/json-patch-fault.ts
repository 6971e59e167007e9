/** The reason why a JSON patch does not apply, in upstream's words. */
export class JsonPatchFault extends Error {
  override readonly name = 'JsonPatchFault';
}
