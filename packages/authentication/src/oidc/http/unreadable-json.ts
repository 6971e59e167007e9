import { messageOf } from '@apiserver/apimachinery/errors';
import { quote } from '@apiserver/apimachinery/text';
import type { IssuerResponse } from './issuer-client.js';

/** The reason why a response is not the JSON that it should be. Upstream: unmarshalResp of go-oidc */
export function unreadableJson({ headers }: IssuerResponse, error: unknown): string {
  const type = headers['content-type'] ?? '';
  if (/^application\/json\s*(?:;|$)/i.test(type)) {
    return `got Content-Type = application/json, but could not unmarshal as JSON: ${messageOf(error)}`;
  }
  return `expected Content-Type = application/json, got ${quote(type)}: ${messageOf(error)}`;
}
