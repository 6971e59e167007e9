/** Where an etcd launcher tells what it offers, on each of its client URLs. No etcd responds there. */
export const handoverPath = '/.kube-apiserver/store';

/**
 * The response of an etcd launcher to a kube-apiserver: the folder in which to keep the objects. The server has to find
 * `id` in that folder, so that a launcher on another machine is not mistaken for one that shares its disk.
 */
export interface StoreHandover {
  readonly kind: 'kube-apiserver-store';
  readonly id: string;
  /** Absolute path of the folder. */
  readonly directory: string;
  /** False after `--unsafe-no-fsync`: commits do not wait for the disk. */
  readonly fsync: boolean;
}

/** The file in the folder that holds the launcher's id. */
export const handoverIdFile = 'launcher-id';

/** The handover in a body, or undefined when an etcd (or anything else) wrote it. */
export function parseHandover(body: string): StoreHandover | undefined {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return undefined;
  }
  return isHandover(value) ? value : undefined;
}

function isHandover(value: unknown): value is StoreHandover {
  if (typeof value !== 'object' || value === null) return false;
  const { kind, id, directory, fsync } = value as Partial<Record<keyof StoreHandover, unknown>>;
  return (
    kind === 'kube-apiserver-store' &&
    typeof id === 'string' &&
    typeof directory === 'string' &&
    typeof fsync === 'boolean'
  );
}
