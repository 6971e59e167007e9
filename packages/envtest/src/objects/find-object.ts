import { type KubeObject, objectPath } from '@apiserver/apimachinery';
import { ControlPlaneError } from '@apiserver/test-powers';
import { describeManifest } from './manifest.js';
import { type PlaneRequests, refusal } from './plane-requests.js';
import { ResourceFinder } from './resource-finder.js';

/** An object by its kind and name. Everything else of an object may stand beside them. */
export interface ObjectReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name?: string; readonly namespace?: string };
}

/** The object as the plane has it; undefined if it does not exist. Throws a ControlPlaneError for any other refusal. */
export async function findObject(
  requests: PlaneRequests,
  { apiVersion, kind, metadata: { name = '', namespace = 'default' } }: ObjectReference,
): Promise<KubeObject | undefined> {
  const manifest = { object: { apiVersion, kind, metadata: { name, namespace } }, origin: 'find' };
  const what = describeManifest(manifest);
  if (name === '') throw new ControlPlaneError(`${what}: an object without a name cannot be found`);
  const resource = await new ResourceFinder(requests).find(manifest);
  const path = objectPath(resource, { namespace: resource.namespaced ? namespace : '', name });
  const found = await requests.send<KubeObject>('GET', path);
  if (found.status === 404) return undefined;
  if (found.status < 400 && found.value !== undefined) return found.value;
  throw refusal(what, found);
}
