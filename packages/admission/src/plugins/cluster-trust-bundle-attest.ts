import type { ClusterTrustBundle } from '@apiserver/api/certificates/v1beta1';
import type { KubeObject } from '@apiserver/apimachinery';
import { equalJson } from '@apiserver/apimachinery/json';
import { quote } from '@apiserver/apimachinery/text';
import type { AdmissionPlugin } from '@apiserver/apiserver-contracts';
import { isAuthorizedForSigner } from '@apiserver/resource-kit';
import { admittedObject, storedObject } from '../admitted-object.js';
import { isResource } from '../endpoint.js';
import { newAdmissionForbidden } from '../forbidden.js';
import type { AdmissionPluginDependencies } from '../plugin-definition.js';

const BUNDLES = { group: 'certificates.k8s.io', resource: 'clustertrustbundles' };

/**
 * Requires the "attest" permission on the signer that a ClusterTrustBundle names.
 * Upstream: plugin/pkg/admission/certificates/ctbattest
 */
export function clusterTrustBundleAttest({
  authorizer,
  features,
}: Pick<AdmissionPluginDependencies, 'authorizer' | 'features'>): AdmissionPlugin {
  const isEnabled = features.enabled('ClusterTrustBundle');
  return {
    name: 'ClusterTrustBundleAttest',
    handles: (operation, { resource }) =>
      isEnabled && (operation === 'CREATE' || operation === 'UPDATE') && isResource(resource, BUNDLES),
    async validate(attributes) {
      const bundle = admittedObject<ClusterTrustBundle>(attributes);
      const { signerName = '' } = bundle.spec;
      if (signerName === '' || onlyChangesGCFields(bundle, storedObject(attributes))) return;
      if (await isAuthorizedForSigner(attributes, 'attest', signerName, authorizer)) return;
      throw newAdmissionForbidden(attributes, `user not permitted to attest for signerName ${quote(signerName)}`);
    },
  };
}

/**
 * Reports whether an update changes only the fields of the garbage collector: storage migration and garbage collection
 * need no permission on the signer.
 */
function onlyChangesGCFields(object: KubeObject, old: KubeObject | undefined): boolean {
  if (old === undefined) return false;
  const comparable = ({ metadata, ...rest }: KubeObject) => {
    const {
      ownerReferences: _owners,
      finalizers: _finalizers,
      selfLink: _link,
      managedFields: _managed,
      ...kept
    } = metadata;
    return { ...rest, metadata: kept };
  };
  return equalJson(comparable(object), comparable(old));
}
