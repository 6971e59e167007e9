/** Another server cannot be reached, or its response cannot be read. The message is that of Go's client. */
export class RemoteServerError extends Error {
  override readonly name = 'RemoteServerError';
}
