import type { KubeObject } from '@apiserver/apimachinery';
import type { StoredList, StoredObject } from '@apiserver/apiserver-contracts';
import { RemoteServerError } from './remote-server-error.js';

/** An object that came over a wire. */
export function remoteObject<T extends KubeObject>(object: T): StoredObject<T> {
  return { object, resourceVersion: object.metadata.resourceVersion ?? '', wire: () => undefined };
}

interface ListBody<T> {
  readonly items: readonly T[] | null;
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
}

/** Reads a response body as a list. Throws a RemoteServerError for anything else. */
export function remoteList<T extends KubeObject>(body: unknown): StoredList<T> {
  const { items, metadata } = listOf<T>(body);
  const list = { items: (items ?? []).map(remoteObject), resourceVersion: metadata?.resourceVersion ?? '' };
  return metadata?.continue === undefined ? list : { ...list, continue: metadata.continue };
}

function listOf<T>(value: unknown): ListBody<T> {
  const hasItems = typeof value === 'object' && value !== null && 'items' in value;
  if (!hasItems || !(value.items === null || Array.isArray(value.items))) {
    throw new RemoteServerError('the server did not respond with a list');
  }
  return value as ListBody<T>;
}
