import type { IngressClass } from '@apiserver/api/networking/v1';

/** Mutates. Upstream: SetDefaults_IngressClass of pkg/apis/networking/v1/defaults.go */
export function applyIngressClassDefaults({ spec }: IngressClass): void {
  if (spec.parameters !== undefined) spec.parameters.scope ??= 'Cluster';
}
