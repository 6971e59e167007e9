import { newUnsupportedMediaType, type StatusError } from '@apiserver/apimachinery/errors';
import type { MediaType } from './media-types.js';
import { parseMediaType } from './parse-media-type.js';

/**
 * The encoding of a request body from its Content-Type; the first supported one by default. Throws the 415 that lists
 * the supported ones.
 *
 * Upstream: NegotiateInputSerializer in k8s.io/apiserver/pkg/endpoints/handlers/negotiation/negotiate.go
 */
export function negotiateInput(contentType: string | undefined, supported: readonly MediaType[]): MediaType {
  const named = contentType === undefined || contentType === '' ? supported[0] : parseMediaType(contentType);
  const found = supported.find((mediaType) => mediaType === named);
  if (found === undefined) throw unsupportedMediaType(supported);
  return found;
}

/** The 415 of a handler. */
export function unsupportedMediaType(supported: readonly string[]): StatusError {
  const accepted = supported.join(', ');
  return newUnsupportedMediaType(
    `the body of the request was in an unknown format - accepted media types include: ${accepted}`,
  );
}
