import type { ProjectedVolumeSource, Volume } from '@apiserver/api/core/v1';
import { roundUpRequirements } from '../resource-amounts.js';
import { applyFieldRefDefaults, pullPolicyFor } from './containers/container-defaults.js';

/** 0644 */
const DEFAULT_MODE = 420;
const TOKEN_SECONDS = 60 * 60;

/**
 * The defaults of one volume. Mutates.
 * Upstream: SetDefaults_Volume and what runs for its sources, of pkg/apis/core/v1/defaults.go
 */
export function applyVolumeDefaults(volume: Volume): void {
  const { secret, configMap, downwardAPI, projected, hostPath, image, ephemeral } = volume;
  if (Object.keys(volume).every((field) => field === 'name')) volume.emptyDir = {};
  for (const source of [secret, configMap, downwardAPI, projected]) {
    if (source !== undefined) source.defaultMode ??= DEFAULT_MODE;
  }
  for (const { fieldRef } of downwardAPI?.items ?? []) applyFieldRefDefaults(fieldRef);
  applyProjectedDefaults(projected);
  if (hostPath !== undefined) hostPath.type ??= '';
  if (image !== undefined) image.pullPolicy ||= pullPolicyFor(image.reference ?? '');
  if (ephemeral?.volumeClaimTemplate !== undefined) {
    const { spec } = ephemeral.volumeClaimTemplate;
    spec.volumeMode ??= 'Filesystem';
    roundUpRequirements(spec.resources);
  }
}

function applyProjectedDefaults(projected: ProjectedVolumeSource | undefined): void {
  for (const { serviceAccountToken, downwardAPI } of projected?.sources ?? []) {
    if (serviceAccountToken !== undefined) serviceAccountToken.expirationSeconds ??= TOKEN_SECONDS;
    for (const { fieldRef } of downwardAPI?.items ?? []) applyFieldRefDefaults(fieldRef);
  }
}
