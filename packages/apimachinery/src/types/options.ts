/** Parameters of a get. */
export interface GetOptions {
  readonly resourceVersion?: string;
}

/** The interpretation of a list's or watch's resourceVersion. */
export type ResourceVersionMatch = 'Exact' | 'NotOlderThan';

/** Parameters of list, watch and deletecollection; selectors are in their text form. */
export interface ListOptions {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly watch?: boolean;
  readonly allowWatchBookmarks?: boolean;
  readonly resourceVersion?: string;
  /** A ResourceVersionMatch once validated; any text before. */
  readonly resourceVersionMatch?: string;
  readonly timeoutSeconds?: number;
  /** Maximum number of items per page; 0 or absent means no paging. */
  readonly limit?: number;
  readonly continue?: string;
  readonly sendInitialEvents?: boolean;
  readonly shardSelector?: string;
}

/** The parameters of a list as a query: those that are absent are left out. */
export function listOptionsQuery(options: ListOptions): URLSearchParams {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(options)) if (value !== undefined) query.set(name, String(value));
  return query;
}

/** Treatment of a body's unknown and duplicate fields; empty means the server's default, Warn. */
export type FieldValidation = '' | 'Ignore' | 'Warn' | 'Strict';

/** Parameters of a create. */
export interface CreateOptions {
  /** `['All']` or absent. */
  readonly dryRun?: readonly string[];
  readonly fieldManager?: string;
  /** A FieldValidation once validated; any text before. */
  readonly fieldValidation?: string;
}

/** Parameters of an update. */
export interface UpdateOptions {
  readonly dryRun?: readonly string[];
  readonly fieldManager?: string;
  readonly fieldValidation?: string;
}

/** Parameters of a patch. */
export interface PatchOptions {
  readonly dryRun?: readonly string[];
  /** Takes over fields owned by others; only with server-side apply. */
  readonly force?: boolean;
  readonly fieldManager?: string;
  readonly fieldValidation?: string;
}

/** Conditions on the stored object for a delete. */
export interface Preconditions {
  readonly uid?: string;
  readonly resourceVersion?: string;
}

/** Parameters of a delete; sent as body or as query. */
export interface DeleteOptions {
  readonly gracePeriodSeconds?: number | bigint;
  readonly preconditions?: Preconditions;
  /** Deprecated in favour of propagationPolicy; the two exclude each other. */
  readonly orphanDependents?: boolean;
  /** Orphan, Background or Foreground once validated; any text before. */
  readonly propagationPolicy?: string;
  readonly dryRun?: readonly string[];
  readonly ignoreStoreReadErrorWithClusterBreakingPotential?: boolean;
}

/** Parameters of a response in Table form. */
export interface TableOptions {
  /** None, Metadata or Object once validated; any text before. Empty or absent means Metadata. */
  readonly includeObject?: string;
}
