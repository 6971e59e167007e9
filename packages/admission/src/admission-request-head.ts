import type { GroupVersionKind, GroupVersionResource } from '@apiserver/apimachinery';
import { type AdmissionAttributes, shownUser } from '@apiserver/apiserver-contracts';

/** The version in which a policy or a webhook sees a request. */
export interface SelectedVersion {
  readonly kind: GroupVersionKind;
  readonly resource: GroupVersionResource;
}

/** The members of an AdmissionRequest before its objects, in upstream's order. Empty optional members are absent. */
export function admissionRequestHead(attributes: AdmissionAttributes, { kind, resource }: SelectedVersion, uid = '') {
  const { subresource, name, namespace, user } = attributes;
  return {
    uid,
    kind: { group: kind.group, version: kind.version, kind: kind.kind },
    resource: { group: resource.group, version: resource.version, resource: resource.resource },
    ...(subresource === '' ? {} : { subResource: subresource }),
    requestKind: attributes.kind,
    requestResource: attributes.resource,
    ...(subresource === '' ? {} : { requestSubResource: subresource }),
    ...(name === '' ? {} : { name }),
    ...(namespace === '' ? {} : { namespace }),
    operation: attributes.operation,
    userInfo: user === undefined ? {} : shownUser(user),
  };
}
