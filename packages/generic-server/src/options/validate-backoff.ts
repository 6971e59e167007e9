import type { RetryBackoff } from '@apiserver/rest-client';

/** Upstream: Validate of the delegating options in k8s.io/apiserver/pkg/server/options */
export function validateBackoff({ steps }: RetryBackoff): readonly Error[] {
  return steps > 0 ? [] : [new Error(`number of webhook retry attempts must be greater than 1, but is: ${steps}`)];
}
