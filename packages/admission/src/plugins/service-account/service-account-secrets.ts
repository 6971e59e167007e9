import type { Container, EphemeralContainer, PodSpec, ServiceAccount } from '@apiserver/api/core/v1';
import { tryParseBool } from '@apiserver/apimachinery/text';
import { podSecretNames } from '@apiserver/resource-kit/pods';

const ENFORCE_ANNOTATION = 'kubernetes.io/enforce-mountable-secrets';

/** Reports whether an account limits its pods to the secrets that it names. */
export function enforcesMountableSecrets({ metadata }: ServiceAccount): boolean {
  return tryParseBool(metadata.annotations?.[ENFORCE_ANNOTATION] ?? '') === true;
}

/** The forbidden reference of a mirror pod; undefined if it has none. */
export function mirrorPodFault(spec: PodSpec): string | undefined {
  if (spec.serviceAccountName) return 'a mirror pod may not reference service accounts';
  if (podSecretNames(spec).next().done === false) return 'a mirror pod may not reference secrets';
  const sources = (spec.volumes ?? []).flatMap(({ projected }) => projected?.sources ?? []);
  if (sources.some(({ serviceAccountToken }) => serviceAccountToken !== undefined)) {
    return 'a mirror pod may not use ServiceAccountToken volume projections';
  }
  return undefined;
}

/**
 * The first secret of a pod that its account does not name; undefined if there is none.
 * Upstream: limitSecretReferences
 */
export function secretFault(account: ServiceAccount, spec: PodSpec): string | undefined {
  const mountable = mountableSecrets(account);
  for (const { secret } of spec.volumes ?? []) {
    if (secret === undefined || mountable.has(secret.secretName ?? '')) continue;
    return `volume with secret.secretName="${secret.secretName ?? ''}" is ${notAllowed(account, 'secret')}`;
  }
  return (
    containerFault('init container', spec.initContainers ?? [], account) ??
    containerFault('container', spec.containers ?? [], account) ??
    pullSecretFault(account, spec)
  );
}

/** The same for ephemeral containers of a running pod. Upstream: limitEphemeralContainerSecretReferences */
export function ephemeralSecretFault(account: ServiceAccount, spec: PodSpec): string | undefined {
  return containerFault('ephemeral container', spec.ephemeralContainers ?? [], account);
}

function containerFault(
  what: string,
  containers: readonly (Container | EphemeralContainer)[],
  account: ServiceAccount,
): string | undefined {
  const mountable = mountableSecrets(account);
  for (const { name, env = [], envFrom = [] } of containers) {
    for (const { name: variable, valueFrom } of env) {
      const secret = valueFrom?.secretKeyRef;
      if (secret === undefined || mountable.has(secret.name ?? '')) continue;
      const where = `${what} ${name} with envVar ${variable}`;
      return `${where} referencing secret.secretName="${secret.name ?? ''}" is ${notAllowed(account, 'secret')}`;
    }
    for (const { secretRef } of envFrom) {
      if (secretRef === undefined || mountable.has(secretRef.name ?? '')) continue;
      const where = `${what} ${name} with envFrom`;
      return `${where} referencing secret.secretName="${secretRef.name ?? ''}" is ${notAllowed(account, 'secret')}`;
    }
  }
  return undefined;
}

function pullSecretFault(account: ServiceAccount, { imagePullSecrets = [] }: PodSpec): string | undefined {
  const known = new Set((account.imagePullSecrets ?? []).map(({ name }) => name));
  const index = imagePullSecrets.findIndex(({ name }) => !known.has(name));
  if (index < 0) return undefined;
  const name = imagePullSecrets[index]?.name ?? '';
  return `imagePullSecrets[${index}].name="${name}" is ${notAllowed(account, 'imagePullSecret')}`;
}

function mountableSecrets({ secrets = [] }: ServiceAccount): ReadonlySet<string> {
  return new Set(secrets.map(({ name }) => name ?? ''));
}

function notAllowed({ metadata }: ServiceAccount, what: string): string {
  return `not allowed because service account ${metadata.name ?? ''} does not reference that ${what}`;
}
