/** A token that proves no user. The message is upstream's; logs and reviews of tokens show it. */
export class TokenError extends Error {
  override readonly name = 'TokenError';
}
