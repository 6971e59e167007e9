import type { LmdbDatabase } from './environment.js';

/** Header of a node in a page, and the entry that points to it. */
const NODE_OVERHEAD = 10;
const PAGE = 4096;
const PAGE_HEADER = 24;
/** Two nodes must fit into a page; larger values get separate pages. */
const LARGEST_NODE = (PAGE - PAGE_HEADER) / 2 - 2;
const POINTER_TO_PAGES = 24;

/** Bytes of an entry in a freshly written file. */
export function bytesInFile(keyLength: number, valueLength: number): number {
  const node = NODE_OVERHEAD + keyLength + valueLength;
  if (node <= LARGEST_NODE) return node + (node % 2);
  return NODE_OVERHEAD + keyLength + POINTER_TO_PAGES + Math.ceil((valueLength + PAGE_HEADER) / PAGE) * PAGE;
}

/** The size of a store's entries, as far as counted. */
export interface DataUsage {
  readonly bytes: number;
  readonly entries: number;
}

/** Number of records in the data file. */
export function entryCount(database: LmdbDatabase): number {
  const stats: { readonly entryCount?: number } = database.getStats();
  return stats.entryCount ?? 0;
}
