import type { KeyValueStore } from '@apiserver/registry-store';

/**
 * Key prefixes of objects that every first start with the same options creates: the bootstrap policy, the system
 * namespaces, the configuration of priority and fairness, and the APIServices of the server itself.
 */
const recordedFolders = [
  'apiregistration.k8s.io/apiservices',
  'clusterrolebindings',
  'clusterroles',
  'flowschemas',
  'namespaces',
  'prioritylevelconfigurations',
  'rolebindings',
  'roles',
];

/** Placeholders for values that differ between servers. */
export const firstObjectMarks = { uid: '{uid}', time: '{time}' } as const;

const UID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g;

/** A recorded object. */
export interface FirstObject {
  /** The key relative to the root of all keys. */
  readonly key: string;
  /** Its stored bytes, in JSON, with placeholders for UID and times. */
  readonly text: string;
}

/** The contents of the build's file. */
export interface RecordedObjects {
  /** The fingerprint of the options of the server that created them. */
  readonly fingerprint: string;
  readonly objects: readonly FirstObject[];
}

/**
 * Records the objects that all servers have after their first start, each with one UID. Undefined if the clock's
 * second changed while one of them was created, because that changes the order of its managers. Throws the errors of
 * the store.
 */
export async function recordFirstObjects(
  store: KeyValueStore,
  root: string,
): Promise<readonly FirstObject[] | undefined> {
  const read = await Promise.all(recordedFolders.map((folder) => store.range(rangeOf(`${root}/${folder}`))));
  const objects = read.flatMap(({ kvs }) =>
    kvs.map(({ key, value }) => ({ key: key.slice(root.length + 1), text: Buffer.from(value).toString() })),
  );
  if (objects.some(({ text }) => new Set(text.match(TIME)).size > 1)) return undefined;
  return objects.map(({ key, text }) => ({ key, text: marked(text) }));
}

/** The range of all keys in a folder: "0" follows "/". */
function rangeOf(folder: string): { readonly start: string; readonly end: string } {
  return { start: `${folder}/`, end: `${folder}0` };
}

function marked(text: string): string {
  return text.replace(UID, firstObjectMarks.uid).replace(TIME, firstObjectMarks.time);
}

/**
 * The stored bytes of objects created at `now`, in RFC 3339 with seconds. All are in one buffer: in Node's pool each
 * would keep the garbage beside it.
 */
export function bytesOfFirstObjects(
  objects: readonly FirstObject[],
  { newUid, now }: { readonly newUid: () => string; readonly now: string },
): readonly Buffer[] {
  const marks = firstObjectMarks;
  const texts = objects.map(({ text }) => text.replace(marks.uid, newUid()).replaceAll(marks.time, now));
  const lengths = texts.map((text) => Buffer.byteLength(text));
  const all = Buffer.allocUnsafeSlow(lengths.reduce((sum, length) => sum + length, 0));
  let end = 0;
  return texts.map((text, index) => {
    const start = end;
    end += lengths[index] ?? 0;
    all.write(text, start);
    return all.subarray(start, end);
  });
}
