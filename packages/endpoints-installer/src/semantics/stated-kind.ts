import { type GroupVersionKind, tryParseGroupVersion } from '@apiserver/apimachinery';
import { newBadRequest, type StatusError } from '@apiserver/apimachinery/errors';
import { quote } from '@apiserver/apimachinery/text';
import type { ShownBody, StatedBody } from './kind-policy.js';

/** The kind of an object. Absent members are those of the endpoint. */
export function decodedKind(
  named: { readonly apiVersion?: string; readonly kind?: string },
  expected: GroupVersionKind,
): GroupVersionKind {
  const parsed = tryParseGroupVersion(named.apiVersion ?? '') ?? { group: '', version: '' };
  const { group, version } = parsed.group === '' && parsed.version === '' ? expected : parsed;
  const fallback = version === '' && group === expected.group ? expected.version : version;
  return { group, version: fallback, kind: named.kind || expected.kind };
}

const NOT_SHOWN: ShownBody = { isCbor: false, text: () => '', summary: () => '' };

/**
 * The kind of a custom resource, by members with exactly these names. Throws a 400 for absent ones.
 *
 * Upstream: UnstructuredJSONScheme of k8s.io/apimachinery/pkg/apis/meta/v1/unstructured
 */
export function requiredKind(body: StatedBody, expected: GroupVersionKind, show: () => ShownBody): GroupVersionKind {
  const [kind, apiVersion] = [body.member('kind') ?? '', body.member('apiVersion')];
  if (typeof kind !== 'string' || kind === '') {
    const what = `the object provided is unrecognized (must be of type ${expected.kind})`;
    const { text, summary } = show();
    throw newBadRequest(`${what}: Object 'Kind' is missing in '${text()}' (${summary()})`);
  }
  const none = { group: '', version: '', kind };
  const { isCbor, text } = body.apiVersion === '' ? show() : NOT_SHOWN;
  if (isCbor) throw unusableBody(expected, none, `Object 'apiVersion' is missing in '${text()}'`);
  if (apiVersion === null) {
    throw unusableBody(expected, none, '.apiVersion accessor error: <nil> is of the type <nil>, expected string');
  }
  return { ...none, ...(typeof apiVersion === 'string' && tryParseGroupVersion(apiVersion)) };
}

/** The 400 for a body of `kind` instead of the expected kind. */
export function unusableBody(expected: GroupVersionKind, kind: GroupVersionKind, why: string): StatusError {
  return newBadRequest(
    `${kind.kind} in version ${quote(kind.version)} cannot be handled as a ${expected.kind}: ${why}`,
  );
}
