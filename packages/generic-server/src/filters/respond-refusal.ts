import { setImmediate } from 'node:timers/promises';
import type { StatusError } from '@apiserver/apimachinery/errors';
import type { ApiResponse, Exchange, Logger } from '@apiserver/apiserver-contracts';
import { respondError } from '@apiserver/endpoints-installer';

/** Characters of a message. A path may be nearly as long as a head, and messages have it quoted. */
const LONG_MESSAGE = 64 * 1024;

/**
 * Answers with a refusal. A refused client must not hold up the others either: a long message is encoded in a turn of its
 * own.
 */
export function respondRefusal(
  exchange: Exchange,
  refusal: StatusError,
  logger: Logger,
): ApiResponse | Promise<ApiResponse> {
  const respond = () => respondError(exchange, refusal, logger);
  return refusal.message.length > LONG_MESSAGE ? setImmediate().then(respond) : respond();
}
