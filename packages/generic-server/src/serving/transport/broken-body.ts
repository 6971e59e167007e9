import type { IncomingMessage } from 'node:http';
import { StatusError } from '@apiserver/apimachinery/errors';

const broken = new WeakMap<IncomingMessage, StatusError>();

/**
 * What upstream answers who has asked for a body that breaks off or is malformed: an error that it has no word for.
 * Upstream: limitedReadBody in k8s.io/apiserver/pkg/endpoints/handlers/rest.go
 */
export function bodyBroken(message: string): StatusError {
  return new StatusError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 500 });
}

/** The rest of this body cannot be read: whoever reads it hears so, now or when they ask for it. */
export function breakBody(message: IncomingMessage, reason: string): void {
  const error = bodyBroken(reason);
  broken.set(message, error);
  if (message.listenerCount('error') > 0) message.emit('error', error);
}

/** Why a body cannot be read; undefined: so far it can. */
export function brokenBody(message: IncomingMessage): StatusError | undefined {
  return broken.get(message);
}
