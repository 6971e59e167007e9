import { ParseError } from '../text/parse-error.js';

/** An API group and version; the legacy (core) group is the empty string. */
export interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

/** The fully qualified type of an object. */
export interface GroupVersionKind extends GroupVersion {
  readonly kind: string;
}

/** The fully qualified name of a resource (`resource` is the plural, lower case). */
export interface GroupVersionResource extends GroupVersion {
  readonly resource: string;
}

/** A kind without a version. */
export interface GroupKind {
  readonly group: string;
  readonly kind: string;
}

/** A resource without a version. */
export interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

/** `v1` for the legacy group, else `apps/v1`: the form of an object's apiVersion. */
export function formatGroupVersion(gv: GroupVersion): string {
  return gv.group === '' ? gv.version : `${gv.group}/${gv.version}`;
}

/** The path below which a version of a group is served: `/api/v1` for the legacy group, else `/apis/apps/v1`. */
export function groupVersionPath(gv: GroupVersion): string {
  return gv.group === '' ? `/api/${gv.version}` : `/apis/${gv.group}/${gv.version}`;
}

/**
 * Reads an apiVersion. The empty string and `/` give the empty GroupVersion, as upstream.
 * Throws a ParseError with upstream's text when there is more than one slash; `tryParseGroupVersion` does not throw.
 *
 * Upstream: k8s.io/apimachinery/pkg/runtime/schema/group_version.go
 */
export function parseGroupVersion(text: string): GroupVersion {
  const gv = tryParseGroupVersion(text);
  if (gv === undefined) throw new ParseError(`unexpected GroupVersion string: ${text}`);
  return gv;
}

/** As parseGroupVersion, but undefined instead of an error. */
export function tryParseGroupVersion(text: string): GroupVersion | undefined {
  if (text === '' || text === '/') return { group: '', version: '' };
  const slash = text.indexOf('/');
  if (slash === -1) return { group: '', version: text };
  if (text.indexOf('/', slash + 1) !== -1) return undefined;
  return { group: text.slice(0, slash), version: text.slice(slash + 1) };
}

/** `pods` in the legacy group, else `deployments.apps`: the name of a resource in messages and keys. */
export function formatGroupResource(gr: GroupResource): string {
  return gr.group === '' ? gr.resource : `${gr.resource}.${gr.group}`;
}

/** `Pod` in the legacy group, else `Deployment.apps`. */
export function formatGroupKind(gk: GroupKind): string {
  return gk.group === '' ? gk.kind : `${gk.kind}.${gk.group}`;
}

/** `apps/v1, Kind=Deployment` (the legacy group leaves a leading slash: `/v1, Kind=Pod`), as messages print it. */
export function formatGroupVersionKind(gvk: GroupVersionKind): string {
  return `${gvk.group}/${gvk.version}, Kind=${gvk.kind}`;
}

/** `apps/v1, Resource=deployments`, as messages print it. */
export function formatGroupVersionResource(gvr: GroupVersionResource): string {
  return `${gvr.group}/${gvr.version}, Resource=${gvr.resource}`;
}

/**
 * The kind of an object from its apiVersion and kind; an apiVersion that does not parse leaves group and version empty.
 */
export function groupVersionKindOf(object: { readonly apiVersion: string; readonly kind: string }): GroupVersionKind {
  const gv = tryParseGroupVersion(object.apiVersion);
  return gv === undefined
    ? { group: '', version: '', kind: object.kind }
    : { group: gv.group, version: gv.version, kind: object.kind };
}
