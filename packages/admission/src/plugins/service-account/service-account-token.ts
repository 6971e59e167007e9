import type { Container, PodSpec, ServiceAccount, Volume } from '@apiserver/api/core/v1';
import { generateName, type RandomInt } from '@apiserver/apimachinery/random';

const VOLUME_NAME_PREFIX = 'kube-api-access-';
const MOUNT_PATH = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * One hour, and seven seconds that mark the tokens of pods. Such a token is valid for longer than requested; its
 * later uses cause a warning.
 * Upstream: WarnOnlyBoundTokenExpirationSeconds of pkg/serviceaccount/claims.go
 */
const EXPIRATION_SECONDS = 60 * 60 + 7;
/** Octal 0644. */
const DEFAULT_MODE = 0o644;

/** Reports whether a pod gets a token; the pod's setting takes precedence over its account's. */
export function shouldAutomount(account: ServiceAccount, spec: PodSpec): boolean {
  return spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true;
}

/**
 * Adds a volume with a token, the API's CA and the namespace. Mounts it in every container that has no mount at that
 * path. Mutates.
 * Upstream: mountServiceAccountToken of plugin/pkg/admission/serviceaccount/admission.go
 */
export function mountServiceAccountToken(spec: PodSpec, random: RandomInt): void {
  const known = spec.volumes?.find((volume) => volume.name?.startsWith(VOLUME_NAME_PREFIX));
  const name = known?.name ?? generateName(VOLUME_NAME_PREFIX, random);
  const containers = [...(spec.initContainers ?? []), ...(spec.containers ?? [])].filter(needsMount);
  for (const container of containers) {
    container.volumeMounts = [...(container.volumeMounts ?? []), { name, readOnly: true, mountPath: MOUNT_PATH }];
  }
  if (known === undefined && containers.length > 0) spec.volumes = [...(spec.volumes ?? []), tokenVolume(name)];
}

function needsMount({ volumeMounts = [] }: Container): boolean {
  return !volumeMounts.some(({ mountPath }) => mountPath === MOUNT_PATH);
}

/** Upstream: TokenVolumeSource */
function tokenVolume(name: string): Volume {
  const namespace = { path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } };
  return {
    name,
    projected: {
      sources: [
        { serviceAccountToken: { expirationSeconds: EXPIRATION_SECONDS, path: 'token' } },
        { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
        { downwardAPI: { items: [namespace] } },
      ],
      defaultMode: DEFAULT_MODE,
    },
  };
}
