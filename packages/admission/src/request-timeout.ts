import { newTimeout } from '@apiserver/apimachinery/errors';

/** The refusal of a request whose time is over. */
export function requestTimeout(): Error {
  return newTimeout('request did not complete within requested timeout', 0);
}
