import type { GroupVersionKind, GroupVersionResource, JsonObject } from '@apiserver/apimachinery';
import type { AdmissionAttributes, UserInfo } from '@apiserver/apiserver-contracts';
import { operationOptions } from '../operation-options.js';

/** The version in which a policy or a webhook sees a request. */
interface SelectedVersion {
  readonly kind: GroupVersionKind;
  readonly resource: GroupVersionResource;
}

/**
 * The value of `request` in expressions: an AdmissionRequest without its objects. Members that are always there, but
 * have no declared type, are null or empty as upstream.
 *
 * Upstream: CreateAdmissionRequest in k8s.io/apiserver/pkg/admission/plugin/cel/condition.go
 */
export function admissionRequest(attributes: AdmissionAttributes, { kind, resource }: SelectedVersion): unknown {
  const { subresource, name, namespace, user } = attributes;
  return {
    uid: '',
    kind: { group: kind.group, version: kind.version, kind: kind.kind },
    resource: { group: resource.group, version: resource.version, resource: resource.resource },
    ...(subresource === '' ? {} : { subResource: subresource }),
    requestKind: attributes.kind,
    requestResource: attributes.resource,
    ...(subresource === '' ? {} : { requestSubResource: subresource }),
    ...(name === '' ? {} : { name }),
    ...(namespace === '' ? {} : { namespace }),
    operation: attributes.operation,
    userInfo: user === undefined ? {} : userInfo(user),
    object: null,
    oldObject: null,
    dryRun: attributes.dryRun,
    options: operationOptions(attributes) ?? null,
  };
}

function userInfo({ name, uid = '', groups, extra }: UserInfo): JsonObject {
  return {
    ...(name === '' ? {} : { username: name }),
    ...(uid === '' ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups: [...groups] }),
    ...(Object.keys(extra).length === 0 ? {} : { extra: copyOf(extra) }),
  };
}

function copyOf(extra: UserInfo['extra']): JsonObject {
  return Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]]));
}
