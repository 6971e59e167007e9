import type { KeyValueStore } from '@apiserver/registry-store';

/**
 * Objects of every first start with the same options, by the beginnings of their keys: the bootstrap policy, the system
 * namespaces and the APIServices of the server itself.
 */
const recordedFolders = [
  'apiregistration.k8s.io/apiservices',
  'clusterrolebindings',
  'clusterroles',
  'namespaces',
  'rolebindings',
  'roles',
];

/** Stand for what differs from one server to the next. */
const uidMark = '{uid}';
const timeMark = '{time}';

const uid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const time = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g;

/** An object as it was recorded. */
export interface FirstObject {
  /** Below the root of all keys. */
  readonly key: string;
  /** Its bytes at rest, in JSON, with marks for uid and times. */
  readonly text: string;
}

/** The file that the build leaves. */
export interface RecordedObjects {
  /** Of the options of the server that made them. */
  readonly fingerprint: string;
  readonly objects: readonly FirstObject[];
}

/**
 * The objects in the store of a server after its first start that all servers have, each with one uid. Undefined when the clock
 * went from one second to the next while one of them was made: its managers are in another order then. Throws what the store
 * throws.
 */
export async function recordFirstObjects(
  store: KeyValueStore,
  root: string,
): Promise<readonly FirstObject[] | undefined> {
  const read = await Promise.all(recordedFolders.map((folder) => store.range(rangeOf(`${root}/${folder}`))));
  const objects = read.flatMap(({ kvs }) =>
    kvs.map(({ key, value }) => ({ key: key.slice(root.length + 1), text: Buffer.from(value).toString() })),
  );
  if (objects.some(({ text }) => new Set(text.match(time)).size > 1)) return undefined;
  return objects.map(({ key, text }) => ({ key, text: marked(text) }));
}

/** Of all keys in a folder: "0" follows "/". */
function rangeOf(folder: string): { readonly start: string; readonly end: string } {
  return { start: `${folder}/`, end: `${folder}0` };
}

function marked(text: string): string {
  return text.replace(uid, uidMark).replace(time, timeMark);
}

/** The bytes at rest of an object that is made at `now`, as RFC 3339 in seconds. */
export function bytesOfFirstObject(
  { text }: FirstObject,
  made: { readonly uid: string; readonly now: string },
): Buffer {
  return Buffer.from(text.replace(uidMark, made.uid).replaceAll(timeMark, made.now));
}
