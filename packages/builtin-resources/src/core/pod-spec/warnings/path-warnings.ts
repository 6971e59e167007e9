import type { PodCertificateProjection, Volume, VolumeProjection } from '@apiserver/api/core/v1';
import { quote } from '@apiserver/apimachinery/text';
import { OverlappingPaths, type SourcedPath } from './overlapping-paths.js';

interface Pathed {
  readonly path: string;
}

/**
 * Warnings about overlapping paths in volumes.
 * Upstream: warningsForOverlappingVirtualPaths of pkg/api/pod/warnings.go
 */
export function overlappingPathWarnings(volumes: readonly Volume[]): readonly string[] {
  return volumes.flatMap((volume) => [
    ...itemWarnings(volume, `ConfigMap ${quote(volume.configMap?.name ?? '')}`, volume.configMap?.items),
    ...itemWarnings(volume, `Secret ${quote(volume.secret?.secretName ?? '')}`, volume.secret?.items),
    ...itemWarnings(volume, 'DownwardAPI', volume.downwardAPI?.items),
    ...projectionWarnings(volume),
  ]);
}

function itemWarnings({ name }: Volume, kind: string, items: readonly Pathed[] = []): string[] {
  const seen = new OverlappingPaths();
  return items.flatMap((item) => {
    const path = withoutTrailingSlashes(item.path);
    const head = `volume ${quote(name)} (${kind}): overlapping paths`;
    return seen.add({ path, source: '' }).map((other) => `${head}: ${quote(path)} with ${quote(other.path)}`);
  });
}

function projectionWarnings({ name, projected }: Volume): string[] {
  const seen = new OverlappingPaths();
  const head = `volume ${quote(name)} (Projected)`;
  const text = ({ path, source }: SourcedPath) => `${quote(path)} (${source})`;
  return (projected?.sources ?? []).flatMap((projection) => {
    if (Object.keys(projection).length === 0) return [`${head} has no sources provided`];
    return pathsOf(projection).flatMap(({ path, source }) => {
      const item = { path: withoutTrailingSlashes(path), source };
      return seen.add(item).map((other) => `${head}: overlapping paths: ${text(item)} with ${text(other)}`);
    });
  });
}

/** The paths of one source. Of a projection with several, only the first counts; validation refuses it anyway. */
function pathsOf({
  configMap,
  secret,
  downwardAPI,
  serviceAccountToken,
  clusterTrustBundle,
  podCertificate,
}: VolumeProjection): SourcedPath[] {
  const from = (items: readonly Pathed[], source: string) => items.map(({ path }) => ({ path, source }));
  if (configMap?.items !== undefined) return from(configMap.items, `ConfigMap ${quote(configMap.name ?? '')}`);
  if (secret?.items !== undefined) return from(secret.items, `Secret ${quote(secret.name ?? '')}`);
  if (downwardAPI?.items !== undefined) return from(downwardAPI.items, 'DownwardAPI');
  if (serviceAccountToken !== undefined) return from([serviceAccountToken], 'ServiceAccountToken');
  if (clusterTrustBundle !== undefined) {
    const bundle = clusterTrustBundle.name ?? clusterTrustBundle.signerName ?? '';
    return from([clusterTrustBundle], `ClusterTrustBundle ${quote(bundle)}`);
  }
  return podCertificate === undefined ? [] : certificatePaths(podCertificate);
}

function certificatePaths(certificate: PodCertificateProjection): SourcedPath[] {
  const { certificateChainPath = '', keyPath = '', credentialBundlePath = '' } = certificate;
  const paths = [
    { path: certificateChainPath, source: 'PodCertificate chain' },
    { path: keyPath, source: 'PodCertificate key' },
    { path: credentialBundlePath, source: 'PodCertificate credential bundle' },
  ];
  return paths.filter(({ path }) => path !== '');
}

function withoutTrailingSlashes(path: string): string {
  let end = path.length;
  while (end > 0 && path[end - 1] === '/') end -= 1;
  return path.slice(0, end);
}
