import { collectionPath, type KubeObject, objectPath } from '@apiserver/apimachinery';
import { stringifyJson } from '@apiserver/apimachinery/codec/json';
import { describeManifest, type Manifest } from './manifest.js';
import { type PlaneRequests, refusal } from './plane-requests.js';
import { ResourceFinder } from './resource-finder.js';

/**
 * Creates objects one after the other, in their order, and replaces those that exist already. Resolves with them as
 * they are stored. Throws a ControlPlaneError that names the object.
 */
export async function installObjects(
  requests: PlaneRequests,
  manifests: readonly Manifest[],
): Promise<readonly KubeObject[]> {
  const finder = new ResourceFinder(requests);
  const stored: KubeObject[] = [];
  for (const manifest of manifests) stored.push(await installObject(requests, finder, manifest));
  return stored;
}

async function installObject(requests: PlaneRequests, finder: ResourceFinder, manifest: Manifest): Promise<KubeObject> {
  const { object } = manifest;
  const resource = await finder.find(manifest);
  const what = describeManifest(manifest);
  const namespace = resource.namespaced ? (object.metadata.namespace ?? 'default') : '';
  const created = await requests.send<KubeObject>('POST', collectionPath(resource, namespace), stringifyJson(object));
  if (created.status < 400 && created.value !== undefined) return created.value;
  if (created.status !== 409 || object.metadata.name === undefined) throw refusal(what, created);
  const path = objectPath(resource, { namespace, name: object.metadata.name });
  const { resourceVersion } = (await requests.expect<KubeObject>(what, 'GET', path)).metadata;
  const replacement = { ...object, metadata: { ...object.metadata, ...(resourceVersion && { resourceVersion }) } };
  return requests.expect<KubeObject>(what, 'PUT', path, stringifyJson(replacement));
}
