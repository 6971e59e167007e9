import { ANY, BOOL, type CelType, DYN, INT, STRING, TIMESTAMP } from '../types/cel-type.js';
import { type DeclType, listDecl, mapDecl, structDecl } from './decl-type.js';

const UNBOUNDED = -1;

const text = scalar(STRING, 2);
const texts = listDecl(text, UNBOUNDED);
const textByKey = mapDecl(text, UNBOUNDED);
const instant = scalar(TIMESTAMP, 12);
const whole = scalar(INT, 1);

/**
 * The type of `request` in policies.
 *
 * Upstream: BuildRequestType in k8s.io/apiserver/pkg/admission/plugin/cel/compile.go
 */
export function admissionRequestType(): DeclType {
  const kind = struct('kubernetes.GroupVersionKind', { group: text, version: text, kind: text });
  const resource = struct('kubernetes.GroupVersionResource', { group: text, version: text, resource: text });
  return struct('kubernetes.AdmissionRequest', {
    kind,
    resource,
    subResource: text,
    requestKind: kind,
    requestResource: resource,
    requestSubResource: text,
    name: text,
    namespace: text,
    operation: text,
    userInfo: userInfoType(),
    dryRun: scalar(BOOL, 4),
    options: scalar(DYN, 1),
  });
}

/**
 * The type of the user of a request: `user` in rules of authentication.
 *
 * Upstream: buildUserType in k8s.io/apiserver/pkg/authentication/cel/compile.go
 */
export function userInfoType(): DeclType {
  return struct('kubernetes.UserInfo', {
    username: text,
    uid: text,
    groups: texts,
    extra: mapDecl(texts, UNBOUNDED),
  });
}

/**
 * The type of `claims` in rules of authentication: each claim may be anything.
 *
 * Upstream: mustBuildEnvs in k8s.io/apiserver/pkg/authentication/cel/compile.go
 */
export function claimsType(): DeclType {
  return mapDecl(scalar(ANY, 1), UNBOUNDED);
}

/**
 * The type of `namespaceObject` in policies.
 *
 * Upstream: BuildNamespaceType in k8s.io/apiserver/pkg/admission/plugin/cel/compile.go
 */
export function namespaceObjectType(): DeclType {
  const condition = struct('kubernetes.NamespaceCondition', {
    status: text,
    type: text,
    lastTransitionTime: instant,
    message: text,
    reason: text,
  });
  const metadata = struct('kubernetes.NamespaceMetadata', {
    name: text,
    generateName: text,
    namespace: text,
    labels: textByKey,
    annotations: textByKey,
    UID: text,
    creationTimestamp: instant,
    deletionGracePeriodSeconds: whole,
    deletionTimestamp: instant,
    generation: whole,
    resourceVersion: text,
    finalizers: texts,
  });
  return struct('kubernetes.Namespace', {
    metadata,
    spec: struct('kubernetes.NamespaceSpec', { finalizers: texts }),
    status: struct('kubernetes.NamespaceStatus', { conditions: listDecl(condition, UNBOUNDED), phase: text }),
  });
}

function scalar(type: CelType, minSize: number): DeclType {
  return { type, minSize };
}

function struct(name: string, fields: Readonly<Record<string, DeclType>>): DeclType {
  return structDecl(name, new Map(Object.entries(fields)));
}
