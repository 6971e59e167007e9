import type { UserInfo } from '@apiserver/apiserver-contracts';

/** A new server is read after this time. */
export const FIRST_READ_MS = 1_000;
/** The time between two reads of a server. */
export const REFRESH_MS = 60_000;
/** The user that reads documents. Upstream: aggregatorUser */
export const READER: UserInfo = { name: 'system:aggregator', groups: [], extra: {} };
