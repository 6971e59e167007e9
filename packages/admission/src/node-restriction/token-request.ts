import type { TokenRequest } from '@apiserver/api/authentication/v1';
import type { PersistentVolume, PersistentVolumeClaim, Pod, Volume } from '@apiserver/api/core/v1';
import type { CSIDriver } from '@apiserver/api/storage/v1';
import { unlessNotFound } from '@apiserver/apimachinery/errors';
import { aggregateMessages } from '@apiserver/apimachinery/field';
import { quote } from '@apiserver/apimachinery/text';
import { type AdmissionAttributes, type AuthorizationResult, resourceAttributes } from '@apiserver/apiserver-contracts';
import { newAdmissionForbidden } from '../forbidden.js';
import type { AdmissionPluginDependencies } from '../plugin-definition.js';
import { migratedDriver } from './migrated-driver.js';

/** A virtual verb; the audience is its virtual resource. */
const VERB = 'request-serviceaccounts-token-audience';

type Dependencies = Pick<AdmissionPluginDependencies, 'client' | 'authorizer'>;

/**
 * The reason why a node may not have a token; undefined if the token's binding is allowed.
 * Upstream: admitServiceAccount
 */
export function bindingFault({ spec }: TokenRequest): string | undefined {
  const { boundObjectRef: bound } = spec;
  if (bound?.apiVersion !== 'v1' || bound.kind !== 'Pod' || !bound.name) {
    return 'node requested token not bound to a pod';
  }
  return bound.uid ? undefined : 'node requested token with a pod binding without a uid';
}

/**
 * Limits a node to tokens for audiences that its pod requests or that an authorizer grants. Throws 403.
 * Upstream: validateNodeServiceAccountAudience of plugin/pkg/admission/noderestriction/admission.go
 */
export async function checkAudience(
  attributes: AdmissionAttributes,
  { spec }: TokenRequest,
  pod: Pod,
  dependencies: Dependencies,
): Promise<void> {
  const audiences = spec.audiences ?? [];
  if (audiences.length > 1) throw newAdmissionForbidden(attributes, 'node may only request 0 or 1 audiences');
  const [audience = ''] = audiences;
  const faults: string[] = [];
  for (const volume of pod.spec.volumes ?? []) {
    const asks = await volumeAsksFor(volume, pod, audience, dependencies);
    if (asks === true) return;
    if (asks !== false) faults.push(asks.fault);
  }
  if (faults.length > 0) {
    const reasons = aggregateMessages(faults);
    throw newAdmissionForbidden(attributes, `error validating audience ${quote(audience)}: ${reasons}`);
  }
  const { decision, error } = await authorize(attributes, audience, dependencies);
  if (decision === 'Allow') return;
  const user = attributes.user?.name ?? '';
  const unheard = `audience ${quote(audience)} not found in pod spec volume`;
  const unauthorized = `${user} is not authorized to request tokens for this audience`;
  const failed = error && `error authorizing ${user} to request tokens for this audience: ${error.message}`;
  throw newAdmissionForbidden(attributes, `${unheard}, ${failed ?? unauthorized}`);
}

/** False, or a fault if it cannot be known because an object on the way to the driver is missing. */
type Asks = boolean | { readonly fault: string };

async function volumeAsksFor(volume: Volume, pod: Pod, audience: string, { client }: Dependencies): Promise<Asks> {
  const sources = volume.projected?.sources ?? [];
  if (
    sources.some((source) => source.serviceAccountToken && (source.serviceAccountToken.audience ?? '') === audience)
  ) {
    return true;
  }
  const driver = await csiDriverOf(volume, pod, client);
  if (typeof driver !== 'string') return driver;
  if (driver === '') return false;
  const drivers = client.resource<CSIDriver>({ group: 'storage.k8s.io', version: 'v1', resource: 'csidrivers' });
  const found = await unlessNotFound(drivers.get('', driver));
  if (found === undefined) return missing('csidriver.storage.k8s.io', driver);
  return (found.spec.tokenRequests ?? []).some((request) => (request.audience ?? '') === audience);
}

/** "" without a driver. */
async function csiDriverOf(
  volume: Volume,
  { metadata }: Pod,
  client: Dependencies['client'],
): Promise<string | { readonly fault: string }> {
  const { csi, ephemeral, persistentVolumeClaim } = volume;
  const claimName = ephemeral?.volumeClaimTemplate
    ? `${metadata.name}-${volume.name}`
    : persistentVolumeClaim?.claimName;
  if (claimName === undefined) return csi?.driver ?? migratedDriver(volume);
  const core = (resource: string) => ({ group: '', version: 'v1', resource });
  const claims = client.resource<PersistentVolumeClaim>(core('persistentvolumeclaims'));
  const claim = await unlessNotFound(claims.get(metadata.namespace ?? '', claimName));
  if (claim === undefined) return missing('persistentvolumeclaim', claimName);
  const { volumeName = '' } = claim.spec;
  const volumes = client.resource<PersistentVolume>(core('persistentvolumes'));
  const found = volumeName === '' ? undefined : await unlessNotFound(volumes.get('', volumeName));
  if (found === undefined) return missing('persistentvolume', volumeName);
  return found.spec.csi?.driver ?? migratedDriver(found.spec);
}

function missing(resource: string, name: string): { readonly fault: string } {
  return { fault: `${resource} ${quote(name)} not found` };
}

async function authorize(
  { user, namespace, name, signal }: AdmissionAttributes,
  audience: string,
  { authorizer }: Dependencies,
): Promise<Pick<AuthorizationResult, 'decision' | 'error'>> {
  if (user === undefined) return { decision: 'NoOpinion' };
  const access = { verb: VERB, apiGroup: '', apiVersion: 'v1', namespace, resource: audience, name };
  return await authorizer.authorize(resourceAttributes(user, access), signal);
}
