import { plainFailure } from './errors/plain-failure.js';
import { quote } from './text/quote.js';
import { type GroupVersionResource, groupVersionPath } from './types/group-version.js';
import { validatePathSegmentName } from './validation/object-name.js';

/** The path of the collection in a namespace; "" for all namespaces, or for none. Throws as `objectPath` does. */
export function collectionPath({ group, version, resource }: GroupVersionResource, namespace: string): string {
  const inNamespace = namespace === '' ? '' : `/namespaces/${checkedSegment('namespace', namespace)}`;
  return `${groupVersionPath({ group, version })}${inNamespace}/${resource}`;
}

/** An object, or its subresource. */
export interface ObjectLocation {
  /** "" for none. */
  readonly namespace: string;
  readonly name: string;
  /** "" for the object itself. */
  readonly subresource?: string;
}

/**
 * The path of one object. Throws 500, as upstream's client fails, for an empty name, and for a name or a namespace that
 * is no path segment: names may come from objects that are not validated yet, and none may lead to another path.
 * Upstream: Request.Name and Request.Namespace of k8s.io/client-go/rest
 */
export function objectPath(resource: GroupVersionResource, location: ObjectLocation): string {
  const { namespace, name, subresource = '' } = location;
  if (name === '') throw plainFailure(500, 'resource name may not be empty');
  const segment = checkedSegment('resource name', name);
  return `${collectionPath(resource, namespace)}/${segment}${subresource === '' ? '' : `/${subresource}`}`;
}

function checkedSegment(what: string, text: string): string {
  const faults = validatePathSegmentName(text);
  if (faults.length === 0) return text;
  throw plainFailure(500, `invalid ${what} ${quote(text)}: [${faults.join(' ')}]`);
}
