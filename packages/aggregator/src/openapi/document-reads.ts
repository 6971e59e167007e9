import type { UserInfo } from '@apiserver/apiserver-contracts';
import type { DocumentOptions } from '../proxy/remote-reader-options.js';

/** A new server is read after this time. */
export const FIRST_READ_MS = 1_000;
/** The time between two reads of a server. */
export const REFRESH_MS = 60_000;
/** The user that reads documents. Upstream: aggregatorUser */
export const READER: UserInfo = { name: 'system:aggregator', groups: [], extra: {} };

/** Upstream: specDownloadTimeout */
const TIMEOUT_MS = 60_000;

/** A request for the document of version 2. `known` is the ETag of the last one; "" if it has none. */
export function version2Request(known: string): DocumentOptions {
  return {
    accept: 'application/json',
    user: READER,
    timeoutMilliseconds: TIMEOUT_MS,
    ...(known !== '' && { headers: { 'If-None-Match': known } }),
  };
}

/** The path of that document. */
export const VERSION_2 = '/openapi/v2';
