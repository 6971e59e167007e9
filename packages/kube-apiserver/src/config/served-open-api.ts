import { setImmediate } from 'node:timers/promises';
import { type GroupVersion, groupVersionPath } from '@apiserver/apimachinery';
import { isStatusError } from '@apiserver/apimachinery/errors';
import type { OpenApiDocument } from '@apiserver/builtin-resources';
import type { LoopbackEndpoint } from '@apiserver/generic-server';

/** A document that may be collected: parsed, it takes megabytes. */
interface KeptDocument {
  readonly etag: string;
  readonly document: WeakRef<OpenApiDocument>;
}

/**
 * Reads the OpenAPI v3 documents of this server; undefined if nothing serves the group version. Parsing a document
 * takes tens of milliseconds: it takes a turn of its own, and one that has not changed is parsed once.
 */
export function servedOpenApi(loopback: Pick<LoopbackEndpoint, 'readDocument'>) {
  const kept = new Map<string, KeptDocument>();
  return async (groupVersion: GroupVersion): Promise<OpenApiDocument | undefined> => {
    const path = `/openapi/v3${groupVersionPath(groupVersion)}`;
    const known = kept.get(path);
    const document = known?.document.deref();
    await setImmediate();
    try {
      const read = await loopback.readDocument(path, document && known?.etag);
      if (read === undefined) return document;
      const changed: OpenApiDocument = Object(read.value);
      kept.set(path, { etag: read.etag, document: new WeakRef(changed) });
      return changed;
    } catch (error) {
      kept.delete(path);
      if (isStatusError(error)) return undefined;
      throw error;
    }
  };
}
