import type { Buffer } from 'node:buffer';
import type { Readable } from 'node:stream';
import { isStatusError, newRequestEntityTooLarge } from '@apiserver/apimachinery/errors';
import { GatheredBytes } from '@apiserver/http2';
import { bodyBroken } from './broken-body.js';

/**
 * Reads the whole body of a request. Throws a StatusError 413 as soon as the body exceeds `limit` bytes, and the error
 * of `bodyBroken` for an incomplete body.
 * Upstream: k8s.io/apiserver/pkg/endpoints/handlers.limitedReadBody
 */
export function readBody(source: Readable, declaredLength: string | undefined, limit: number): Promise<Uint8Array> {
  if (declaredLength !== undefined && Number(declaredLength) > limit) return Promise.reject(bodyTooLarge(limit));
  return new Promise((resolve, reject) => {
    const gathered = new GatheredBytes();
    const onData = (chunk: Buffer) => {
      gathered.push(chunk);
      if (gathered.length <= limit) return;
      source.pause();
      stop();
      reject(bodyTooLarge(limit));
    };
    const onEnd = () => {
      stop();
      resolve(gathered.take());
    };
    const onBroken = (error?: unknown) => {
      stop();
      reject(isStatusError(error) ? error : bodyBroken('unexpected EOF'));
    };
    const stop = () => {
      source.off('data', onData).off('end', onEnd).off('close', onBroken).off('error', onBroken);
    };
    if (source.readableEnded || source.destroyed) {
      (source.readableEnded ? onEnd : onBroken)();
      return;
    }
    source.on('data', onData).on('end', onEnd).on('close', onBroken).on('error', onBroken);
  });
}

/** The 413 for a body of more than `limit` bytes. */
export function bodyTooLarge(limit: number): Error {
  return newRequestEntityTooLarge(`limit is ${limit}`);
}
