import { Buffer } from 'node:buffer';
import { hasManyValues } from '@apiserver/endpoints-installer';

/** Maximum size of a document that is parsed in one turn of the event loop. */
export const MAX_PARSED_BYTES = 4 * 1024 * 1024;

/**
 * The bytes of a document that describes an extension server. Throws a TypeError for one with more values than an
 * object may have: it would hold the event loop while it is parsed, and make the documents of all servers as large.
 */
export function boundedDocument(body: string): Buffer {
  const bytes = Buffer.from(body);
  if (hasManyValues(bytes)) throw new TypeError('the document has too many values');
  return bytes;
}
