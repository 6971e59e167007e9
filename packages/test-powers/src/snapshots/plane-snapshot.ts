import { messageOf } from '@apiserver/apimachinery/errors';
import { API_LEVEL } from '@apiserver/component-base/version';
import type { StoreSnapshot } from '@apiserver/registry-store/memory';
import { ControlPlaneError } from '../control-plane-error.js';

/** The objects of a control plane at one moment. It stays valid when its plane has ended. */
export class PlaneSnapshot {
  /** The objects. They share their bytes with the plane. */
  readonly store: StoreSnapshot;

  constructor(store: StoreSnapshot) {
    this.store = store;
  }

  /** The newest resourceVersion. */
  get resourceVersion(): string {
    return String(this.store.revision);
  }

  /**
   * Writes the snapshot to a file for `readSnapshot`. The file is a backup that `kube-apiserver restore` reads too. It
   * holds Secrets as they are; only its owner can read it. Throws a ControlPlaneError if it cannot be written.
   */
  async save(file: string): Promise<void> {
    const { writeSnapshot } = await import('@apiserver/registry-store/backup');
    try {
      await writeSnapshot(this.store, { file, version: servedVersion() });
    } catch (error) {
      throw failure(error);
    }
  }
}

/**
 * Reads the file of a snapshot, or a backup of a data folder, which any version of the same minor has written. Throws a
 * ControlPlaneError for a file of another minor, one that is damaged, and anything else.
 */
export async function readSnapshot(file: string): Promise<PlaneSnapshot> {
  const backup = await import('@apiserver/registry-store/backup');
  const { snapshot, version } = await backup
    .readSnapshot(file)
    .catch((error: unknown) => Promise.reject(failure(error)));
  if (minorOf(version) === minorOf(servedVersion())) return new PlaneSnapshot(snapshot);
  throw new ControlPlaneError(
    `${file} is a snapshot of ${version}; this version, ${servedVersion()}, reads those of ${minorOf(servedVersion())}`,
  );
}

/** The Kubernetes version that is served. */
function servedVersion(): string {
  return `v${API_LEVEL.major}.${API_LEVEL.minor}.${API_LEVEL.patch}`;
}

/** `v1.36` of `v1.36.2`. */
function minorOf(version: string): string {
  return /^v\d+\.\d+/.exec(version)?.[0] ?? version;
}

function failure(cause: unknown): ControlPlaneError {
  return new ControlPlaneError(messageOf(cause), { cause });
}
