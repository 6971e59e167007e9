import { type SnapshotEntry, type StoreSnapshot, snapshotOf } from '../memory/memory-snapshot.js';
import { BackupReader } from './backup-reader.js';
import { BackupWriter } from './backup-writer.js';

/** The target of `writeSnapshot`. */
export interface SnapshotFile {
  readonly file: string;
  /** Version of the program that writes it. */
  readonly version: string;
}

/** A snapshot with the version of the program that wrote it. */
export interface ReadSnapshot {
  readonly snapshot: StoreSnapshot;
  readonly version: string;
}

/**
 * Writes the snapshot of a store as a backup, whose time is that of the snapshot. An existing file is replaced once the
 * new one is complete. Throws a BackupError.
 */
export async function writeSnapshot(snapshot: StoreSnapshot, { file, version }: SnapshotFile): Promise<void> {
  const { revision, takenAt } = snapshot;
  const entries = [...snapshot.entries()].sort((a, b) => a.revision - b.revision);
  await using writer = await BackupWriter.create(file, { revision, created: new Date(takenAt).toISOString(), version });
  for (const entry of entries) await writer.add(entry);
  await writer.finish();
}

/**
 * Reads what `writeSnapshot` or a backup of a data folder has written. Throws a BackupError for a file that is damaged,
 * or something else.
 */
export async function readSnapshot(file: string): Promise<ReadSnapshot> {
  await using reader = await BackupReader.open(file);
  await reader.verify();
  const entries: SnapshotEntry[] = [];
  for await (const entry of reader.records()) entries.push(entry);
  const { revision, created, version } = reader.head;
  return { snapshot: snapshotOf(entries, { revision, takenAt: Date.parse(created) }), version };
}
