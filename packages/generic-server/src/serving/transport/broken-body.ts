import type { IncomingMessage } from 'node:http';
import { plainFailure, type StatusError } from '@apiserver/apimachinery/errors';

const broken = new WeakMap<IncomingMessage, StatusError>();

/**
 * The error of a body that is incomplete or malformed. Upstream has no reason for it.
 * Upstream: limitedReadBody in k8s.io/apiserver/pkg/endpoints/handlers/rest.go
 */
export function bodyBroken(message: string): StatusError {
  return plainFailure(500, message);
}

/** Marks the rest of a body as unreadable. Readers get the error, now or later. */
export function breakBody(message: IncomingMessage, reason: string): void {
  const error = bodyBroken(reason);
  broken.set(message, error);
  if (message.listenerCount('error') > 0) message.emit('error', error);
}

/** The reason why a body cannot be read; undefined if none is known. */
export function brokenBody(message: IncomingMessage): StatusError | undefined {
  return broken.get(message);
}
