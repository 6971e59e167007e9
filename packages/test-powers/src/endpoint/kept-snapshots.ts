import { createReadStream } from 'node:fs';
// A named import of what Node has only since 24 would hide the message of an older Node.
import files, { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { failureStatus, StatusError } from '@apiserver/apimachinery/errors';
import type { MemoryStore } from '@apiserver/registry-store/memory';
import { PlaneSnapshot, readSnapshot } from '../snapshots/plane-snapshot.js';

/** Maximum number of kept snapshots: each keeps its objects in memory. */
const MAX_SNAPSHOTS = 100;

/** Snapshots of one store by name. */
export class KeptSnapshots {
  readonly #store: MemoryStore;
  readonly #snapshots = new Map<string, PlaneSnapshot>();
  #made = 0;

  constructor(store: MemoryStore) {
    this.#store = store;
  }

  list(): readonly (readonly [name: string, snapshot: PlaneSnapshot])[] {
    return [...this.#snapshots];
  }

  /** Throws a StatusError. */
  get(name: string): PlaneSnapshot {
    const snapshot = this.#snapshots.get(name);
    if (snapshot === undefined) throw new StatusError(failureStatus(404, 'NotFound', `there is no snapshot ${name}`));
    return snapshot;
  }

  /** Keeps the present objects. A snapshot of the same name is replaced. Throws a StatusError if there are too many. */
  take(name = this.#nextName()): readonly [name: string, snapshot: PlaneSnapshot] {
    this.#checkRoom(name);
    const snapshot = new PlaneSnapshot(this.#store.snapshot());
    this.#snapshots.set(name, snapshot);
    return [name, snapshot];
  }

  /** Restores the objects of the snapshot. Throws a StatusError. */
  async restore(name: string): Promise<PlaneSnapshot> {
    const snapshot = this.get(name);
    await this.#store.restore(snapshot.store);
    return snapshot;
  }

  /** Throws a StatusError. */
  remove(name: string): void {
    this.get(name);
    this.#snapshots.delete(name);
  }

  /** The file of a snapshot, which `kube-apiserver restore` reads too. Throws a StatusError. */
  download(name: string): AsyncIterable<Uint8Array> {
    return fileOf(this.get(name));
  }

  /** Keeps the snapshot of a file. Throws a StatusError, and a ControlPlaneError for a file that is no snapshot. */
  async upload(name: string, chunks: AsyncIterable<Uint8Array>): Promise<PlaneSnapshot> {
    this.#checkRoom(name);
    const snapshot = await snapshotIn(chunks);
    this.#checkRoom(name);
    this.#snapshots.set(name, snapshot);
    return snapshot;
  }

  #nextName(): string {
    for (;;) {
      const name = `snapshot-${++this.#made}`;
      if (!this.#snapshots.has(name)) return name;
    }
  }

  #checkRoom(name: string): void {
    if (this.#snapshots.size < MAX_SNAPSHOTS || this.#snapshots.has(name)) return;
    const message = `${MAX_SNAPSHOTS} snapshots are kept already; DELETE /snapshots/NAME removes one`;
    throw new StatusError(failureStatus(409, 'Conflict', message));
  }
}

/** Snapshots are written and read as files, which only this user can read while they exist. */
const prefix = join(tmpdir(), 'kube-apiserver-snapshot-');

async function* fileOf(snapshot: PlaneSnapshot): AsyncGenerator<Uint8Array> {
  await using folder = await files.mkdtempDisposable(prefix);
  const file = join(folder.path, 'snapshot');
  await snapshot.save(file);
  yield* createReadStream(file);
}

async function snapshotIn(chunks: AsyncIterable<Uint8Array>): Promise<PlaneSnapshot> {
  await using folder = await files.mkdtempDisposable(prefix);
  const path = join(folder.path, 'snapshot');
  {
    await using file = await open(path, 'wx', 0o600);
    for await (const chunk of chunks) await file.writeFile(chunk);
  }
  return await readSnapshot(path);
}
