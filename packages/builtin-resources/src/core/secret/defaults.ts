import type { Secret } from '@apiserver/api/core/v1';

/** Mutates. Upstream: SetDefaults_Secret of pkg/apis/core/v1/defaults.go */
export function applySecretDefaults(secret: Secret): void {
  secret.type ||= 'Opaque';
}

/**
 * Moves stringData into data, whose values it overrides. Mutates.
 * Upstream: Convert_v1_Secret_To_core_Secret of pkg/apis/core/v1/conversion.go
 */
export function foldStringData(secret: Secret): void {
  const { stringData } = secret;
  if (stringData === undefined) return;
  const folded = Object.entries(stringData).map(([key, text]) => [key, Buffer.from(text).toString('base64')]);
  secret.data = { ...secret.data, ...Object.fromEntries(folded) };
  delete secret.stringData;
}
