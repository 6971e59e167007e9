import { type GroupVersionKind, tryParseGroupVersion } from '@apiserver/apimachinery';
import { newBadRequest, type StatusError } from '@apiserver/apimachinery/errors';
import { quoteWithBytes } from '@apiserver/apimachinery/text';
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

const NOT_SHOWN: ShownBody = { isCbor: false, text: () => '', json: () => '', summary: () => '' };

/**
 * The kind of a custom resource, by members with exactly these names. Throws a 400 for absent ones.
 *
 * Upstream: UnstructuredJSONScheme of k8s.io/apimachinery/pkg/apis/meta/v1/unstructured
 */
export function requiredKind(
  body: StatedBody,
  expected: GroupVersionKind,
  show: () => ShownBody,
  isChecked: boolean,
): GroupVersionKind {
  const [kind, apiVersion] = [body.member('kind') ?? '', body.member('apiVersion')];
  if (typeof kind !== 'string' || kind === '') throw missingKind(body, expected, show(), isChecked);
  const none = { group: '', version: '', kind };
  const { isCbor, text } = body.apiVersion === '' ? show() : NOT_SHOWN;
  if (isCbor) throw unusableBody(expected, none, `Object 'apiVersion' is missing in '${text()}'`);
  if (apiVersion === null) {
    throw unusableBody(expected, none, '.apiVersion accessor error: <nil> is of the type <nil>, expected string');
  }
  return { ...none, ...(typeof apiVersion === 'string' && tryParseGroupVersion(apiVersion)) };
}

/** Upstream's decoder names the kind of the endpoint unless it looks for unknown fields. */
function missingKind(body: StatedBody, expected: GroupVersionKind, shown: ShownBody, isChecked: boolean): StatusError {
  const isDecoded = !isChecked && !shown.isCbor;
  const why = `Object 'Kind' is missing in '${isDecoded ? shown.json() : shown.text()}'`;
  if (isDecoded) return unusableBody(expected, decodedKind({ apiVersion: body.apiVersion }, expected), why);
  const what = `the object provided is unrecognized (must be of type ${expected.kind})`;
  return newBadRequest(`${what}: ${why} (${shown.summary()})`);
}

/** The 400 for a body of `kind` instead of the expected kind. */
export function unusableBody(expected: GroupVersionKind, kind: GroupVersionKind, why: string): StatusError {
  const version = quoteWithBytes(kind.version);
  return newBadRequest(
    `${kind.kind.toWellFormed()} in version ${version} cannot be handled as a ${expected.kind}: ${why}`,
  );
}
