import type { APIService } from '@apiserver/api/apiregistration/v1';
import type { Clock } from '@apiserver/apimachinery/clock';
import type { Informer, Logger, UserInfo } from '@apiserver/apiserver-contracts';
import type { FetchedDocument } from './fetch-document.js';

/** Options of a document. */
export interface DocumentOptions {
  readonly accept: string;
  /** Default: the aggregator, with unlimited access. */
  readonly user?: UserInfo;
  /** Further headers. Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: five seconds. */
  readonly timeoutMilliseconds?: number;
  /** Default: 16 MiB. */
  readonly maxBytes?: number;
}

/** Dependencies of a class that reads documents of remote servers. */
export interface RemoteReaderOptions {
  readonly informer: Pick<Informer<APIService>, 'list' | 'get' | 'subscribe'>;
  /** Gets a document from the server of an APIService. Throws an Error if it does not respond. */
  getDocument(apiService: APIService, path: string, options: DocumentOptions): Promise<FetchedDocument>;
  readonly clock: Clock;
  readonly logger: Logger;
}
