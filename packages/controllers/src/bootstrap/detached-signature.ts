import { Buffer } from 'node:buffer';
import { createHmac } from 'node:crypto';

/**
 * A JSON Web Signature of a text without the text, by HS256.
 * Upstream: ComputeDetachedSignature of k8s.io/cluster-bootstrap/token/jws
 */
export function detachedSignature(content: string, token: { readonly id: string; readonly secret: string }): string {
  const header = base64url(JSON.stringify({ alg: 'HS256', kid: token.id }));
  const signature = createHmac('sha256', token.secret)
    .update(`${header}.${base64url(content)}`)
    .digest('base64url');
  return `${header}..${signature}`;
}

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url');
}
