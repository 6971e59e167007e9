import { createHash } from 'node:crypto';

/**
 * A hash that stands for an identifier or a content in metrics and logs: `sha256:` and hexadecimal digits; "" for
 * nothing.
 * Upstream: GetHashIfNotEmpty of k8s.io/apiserver/pkg/storage/value/encrypt/envelope/kmsv2
 */
export function hashIfNotEmpty(content: string | Uint8Array): string {
  return content.length === 0 ? '' : `sha256:${createHash('sha256').update(content).digest('hex')}`;
}
