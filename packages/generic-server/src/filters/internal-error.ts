import { messageOf } from '@apiserver/apimachinery/errors';
import { escapeMarkup, quote } from '@apiserver/apimachinery/text';
import type { ApiResponse, Exchange, Logger } from '@apiserver/apiserver-contracts';
import { plainTextError } from '../serving/transport/plain-text.js';

/**
 * The plain 500 of filters that cannot go on.
 * Upstream: k8s.io/apiserver/pkg/endpoints/handlers/responsewriters.InternalError
 */
export function internalError(exchange: Exchange, error: unknown, logger: Logger): ApiResponse {
  const message = messageOf(error);
  logger.error(error, 'A filter failed', { url: exchange.request.url });
  const text = `Internal Server Error: ${quote(exchange.request.url)}: ${message}`;
  return plainTextError(exchange, 500, escapeMarkup(text));
}
