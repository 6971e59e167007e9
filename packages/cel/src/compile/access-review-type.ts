import { type DeclType, listDecl, mapDecl, structDecl } from '../kubernetes/decl-type.js';
import { STRING } from '../types/cel-type.js';

const UNBOUNDED = -1;

const text: DeclType = { type: STRING, minSize: 2 };
const texts = listDecl(text, UNBOUNDED);

/**
 * The type of `request` in the match conditions of authorization webhooks.
 *
 * Upstream: buildRequestType in k8s.io/apiserver/pkg/authorization/cel/compile.go
 */
export function accessReviewType(): DeclType {
  const requirement = struct('SelectorRequirement', { key: text, operator: text, values: texts });
  const selector = { rawSelector: text, requirements: listDecl(requirement, UNBOUNDED) };
  const resourceAttributes = struct('ResourceAttributes', {
    namespace: text,
    verb: text,
    group: text,
    version: text,
    resource: text,
    subresource: text,
    name: text,
    fieldSelector: struct('FieldSelectorAttributes', selector),
    labelSelector: struct('LabelSelectorAttributes', selector),
  });
  return struct('SubjectAccessReviewSpec', {
    resourceAttributes,
    nonResourceAttributes: struct('NonResourceAttributes', { path: text, verb: text }),
    user: text,
    groups: texts,
    extra: mapDecl(texts, UNBOUNDED),
    uid: text,
  });
}

function struct(name: string, fields: Readonly<Record<string, DeclType>>): DeclType {
  return structDecl(`kubernetes.${name}`, new Map(Object.entries(fields)));
}
